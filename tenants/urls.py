from django.urls import path

from tenants import views

app_name = "tenants"
urlpatterns = [
    path("", views.home, name="home"),
    path("sign-in/", views.sign_in_page, name="sign-in"),
    path("sign-out/", views.sign_out, name="sign-out"),
    path("t/", views.tenant_list, name="tenant-list"),
    path("me/tokens/", views.token_list, name="token-list"),
    path("me/tokens/<uuid:uid>/revoke/", views.token_revoke, name="token-revoke"),
]
