from django.urls import include, path

from jobs.api import views
from jobs.api.documentation import openapi

app_name = "api"
jobs = [
    path("", views.SubmissionCollection.as_view(), name="submission-collection"),
    path("<uuid:uid>/", views.SubmissionDetail.as_view(), name="submission-detail"),
    path("<uuid:uid>/cancel/", views.SubmissionCancel.as_view(), name="submission-cancel"),
    path("<uuid:uid>/logs/", views.SubmissionLogs.as_view(), name="submission-logs"),
    path("<uuid:uid>/events/", views.SubmissionEvents.as_view(), name="submission-events"),
]
urlpatterns = [
    path("openapi.json", openapi, name="openapi"),
    path("tenants/<slug:tenant>/templates/", views.TemplateList.as_view(), name="template-list"),
    path("tenants/<slug:tenant>/templates/<slug:template>/", views.TemplateDetail.as_view(), name="template-detail"),
    path("tenants/<slug:tenant>/jobs/", include(jobs)),
]
