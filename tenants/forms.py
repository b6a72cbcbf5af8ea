from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from tenants.models import Role, Tenant, User

LIFETIMES = (7, 30, 90, 365)  # days


class SignInForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=254,
        error_messages={"required": _("Enter your e-mail address.")},
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    password = forms.CharField(
        label=_("Password"),
        max_length=1024,
        strip=False,
        error_messages={"required": _("Enter your password.")},
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


def _lifetimes() -> list[tuple[int, str]]:
    allowed = [days for days in LIFETIMES if days <= settings.TOKEN_MAX_DAYS] or [settings.TOKEN_MAX_DAYS]
    return [(days, ngettext("%(n)s day", "%(n)s days", days) % {"n": days}) for days in allowed]


class TenantField(forms.ModelChoiceField):  # type: ignore[type-arg]  # it is not generic at run time
    """By the name that the pages show; the address's word for it is what is sent."""

    def label_from_instance(self, obj: Tenant) -> str:
        return obj.name


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=80,
        error_messages={"required": _("Give the token a name.")},
        help_text=_("Where it will be used, for example “nightly fine-tune in CI”."),
    )
    tenant = TenantField(Tenant.objects.none(), label=_("Tenant"), to_field_name="slug", empty_label=None)
    role = forms.ChoiceField(
        label=_("Role"),
        choices=Role.choices,
        initial=Role.SUBMITTER,
        help_text=_("A viewer reads, a submitter also submits and cancels. Never more than your own role."),
    )
    days = forms.TypedChoiceField(
        label=_("Expires after"),
        choices=_lifetimes,
        coerce=int,
        initial=30,
        widget=forms.RadioSelect,
        help_text=_("It cannot be renewed."),
    )

    def __init__(self, data: Any = None, *, user: User) -> None:
        super().__init__(data)
        tenants = self.fields["tenant"]
        assert isinstance(tenants, forms.ModelChoiceField)
        tenants.queryset = Tenant.objects.visible_to(user).order_by("slug")

    def expires_at(self) -> datetime:
        return timezone.now() + timedelta(days=self.cleaned_data["days"])
