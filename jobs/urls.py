from django.urls import URLPattern, URLResolver, include, path

from jobs import views

app_name = "jobs"
job = [
    path("", views.submission_detail, name="submission-detail"),
    path("logs/", views.submission_logs, name="submission-logs"),
    path("logs/live/", views.submission_logs_live, name="submission-logs-live"),
    path("logs/raw/", views.submission_logs_raw, name="submission-logs-raw"),
    path("replicas/", views.submission_replicas, name="submission-replicas"),
    path("events/", views.submission_events, name="submission-events"),
    path("manifest/", views.submission_manifest, name="submission-manifest"),
    path("cancel/", views.submission_cancel, name="submission-cancel"),
]
tenant: list[URLPattern | URLResolver] = [
    path("", views.tenant_home, name="tenant-home"),
    path("live/", views.live, name="live"),
    path("jobs/", views.submission_list, name="submission-list"),
    path("jobs/new/", views.template_list, name="template-list"),
    path("jobs/new/<slug:template>/", views.submission_create, name="submission-create"),
    path("jobs/<uuid:uid>/", include(job)),
]
urlpatterns = [path("t/<slug:tenant>/", include(tenant))]
