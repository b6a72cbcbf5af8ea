from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("tenants.urls")),
    path("", include("jobs.urls")),
    path("api/v1/", include("portal.api_urls")),
]
