"""All settings. The environment decides; the defaults are those of production, so DEBUG and plain HTTP need saying."""

import tomllib
from pathlib import Path
from urllib.parse import unquote, urlsplit

from portal.env import ConfigurationError, env_bool, env_int, env_list, env_secret, env_str

BASE_DIR = Path(__file__).resolve().parent.parent
# Shown in the footer; pyproject.toml is the one place where it is written.
VERSION: str = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]["version"]

# --- Security -------------------------------------------------------------------------------------------------------
DEBUG = env_bool("DEBUG")
SECRET_KEY = env_secret("SECRET_KEY")
if len(SECRET_KEY) < 32:
    raise ConfigurationError(f"SECRET_KEY has {len(SECRET_KEY)} characters; use at least 32 random ones.")
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS")
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS")
# HTTPS=0 is for the demo and tests on loopback; cookies then lose Secure and the __Host- prefix that needs it.
HTTPS = env_bool("HTTPS", True)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env_bool("BEHIND_TLS_PROXY") else None
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_NAME = "__Host-session" if HTTPS else "session"
CSRF_COOKIE_NAME = "__Host-csrftoken" if HTTPS else "csrftoken"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "portal.http.csrf_failure"
SESSION_COOKIE_AGE = env_int("SESSION_HOURS", 12) * 3600
SECURE_HSTS_SECONDS = env_int("HSTS_SECONDS", 3600) if HTTPS else 0
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}
# The largest body any route reads; a longer one is answered 413 with this number before it is parsed.
MAX_BODY_BYTES = env_int("MAX_BODY_BYTES", 1024 * 1024)
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_BODY_BYTES
DATA_UPLOAD_MAX_NUMBER_FIELDS = 500
LOGIN_TRIES_PER_15_MINUTES = env_int("LOGIN_TRIES_PER_15_MINUTES", 10)
TOKEN_MAX_DAYS = env_int("TOKEN_MAX_DAYS", 365)
# Open log and event streams: per user, and how long one lives before the browser opens it anew.
STREAMS_PER_USER = env_int("STREAMS_PER_USER", 8)
STREAM_MAX_SECONDS = env_int("STREAM_MAX_SECONDS", 600)

# --- Applications ---------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "portal",
    "tenants",
    "quotas",
    "jobs",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.forms",  # FORM_RENDERER finds the templates of widgets there
    "django_linear_migrations",
    "django_htmx",
    "template_partials",
    "rest_framework",
    "drf_spectacular",
]
MIDDLEWARE = [
    "portal.http.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "csp.middleware.CSPMiddleware",
    "portal.http.NoStoreMiddleware",
    "portal.http.BodyLimitMiddleware",
    "portal.http.UnreadableMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "portal.http.SignInMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "portal.http.PortalErrorMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "portal.urls"
AUTH_USER_MODEL = "tenants.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LOGIN_URL = "tenants:sign-in"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "portal.http.shell",
            ],
        },
    }
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["tenants.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["jobs.api.parsing.StrictJSONParser"],
    # OPTIONS would describe a view to whoever has any token; the OpenAPI document is the one description.
    "DEFAULT_METADATA_CLASS": None,
    "URL_FORMAT_OVERRIDE": None,  # no ?format=: an unknown parameter is refused like any other
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "portal.http.problem",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Choirmaster",
    "DESCRIPTION": "Submit and follow distributed training jobs.",
    "VERSION": "1",
}

# --- Database: PostgreSQL >= 15 only. postgresql://user:password@host:port/name, or ?host=/socket/folder -------------
_database = urlsplit(env_secret("DATABASE_URL"))
if _database.scheme not in {"postgres", "postgresql"}:
    raise ConfigurationError("DATABASE_URL must start with postgresql://; no other database is supported.")
_options = dict(pair.split("=", 1) for pair in _database.query.split("&") if "=" in pair)
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(_database.path.lstrip("/")),
        "USER": unquote(_database.username or ""),
        "PASSWORD": unquote(_database.password or ""),
        "HOST": unquote(_options.get("host", _database.hostname or "")),
        "PORT": _database.port or "",
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            "pool": {"min_size": 1, "max_size": env_int("DATABASE_POOL", 8), "timeout": 10},
            # A migration or query that waits for a lock longer than this is a fault to see, not to sit out.
            "options": "-c lock_timeout=5000 -c idle_in_transaction_session_timeout=30000",
        },
    }
}

# --- Redis carries hints only: Celery messages, live announcements, open streams. Losing it loses no job --------------
REDIS_URL = env_secret("REDIS_URL")
SESSION_ENGINE = "django.contrib.sessions.backends.db"
CELERY_BROKER_URL = REDIS_URL
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_DEFAULT_QUEUE = "sync"
CELERY_TASK_CREATE_MISSING_QUEUES = True
CELERY_TASK_ROUTES = {"jobs.launch*": {"queue": "launch"}}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 60, "socket_timeout": 10, "socket_connect_timeout": 5}
# A web request must not hang on a dead broker: the row is the work, the message a hint.
CELERY_TASK_PUBLISH_RETRY = False

# --- The cluster ----------------------------------------------------------------------------------------------------
CLUSTER_URL = env_str("CLUSTER_URL")
# A file, read again at each use after a 401: projected ServiceAccount tokens change.
CLUSTER_TOKEN_FILE = env_str("CLUSTER_TOKEN_FILE")
CLUSTER_CA_FILE = env_str("CLUSTER_CA_FILE", "")
LAUNCH_LEASE_SECONDS = env_int("LAUNCH_LEASE_SECONDS", 20)
SWEEP_SECONDS = env_int("SWEEP_SECONDS", 5)
RESYNC_SECONDS = env_int("RESYNC_SECONDS", 60)
POSITION_SECONDS = env_int("POSITION_SECONDS", 5)
WATCH_TIMEOUT_SECONDS = env_int("WATCH_TIMEOUT_SECONDS", 300)
WATCH_RELIST_SECONDS = env_int("WATCH_RELIST_SECONDS", 300)
# Older than this, what the mirror knows is shown as "last seen", never as the present.
MIRROR_STALE_SECONDS = env_int("MIRROR_STALE_SECONDS", 60)
# Registries and repositories that job images may come from, as prefixes that end at a "/" or are a whole name.
IMAGE_PREFIXES = env_list("IMAGE_PREFIXES", "registry.internal/")

# --- Language, time, static files -----------------------------------------------------------------------------------
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = True
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = env_str("STATIC_ROOT", str(BASE_DIR / ".choirmaster" / "static"))
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"},
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env_str("LOG_LEVEL", "INFO")},
}
