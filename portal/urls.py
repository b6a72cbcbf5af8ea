from django.urls import URLPattern, URLResolver, include, path

from portal.http import healthz

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz/", healthz, name="healthz"),
    path("", include("tenants.urls")),
    path("", include("jobs.urls")),
    path("api/v1/", include("portal.api_urls")),
]

handler400 = "portal.http.bad_request"
handler403 = "portal.http.permission_denied"
handler404 = "portal.http.not_found"
handler500 = "portal.http.server_error"
