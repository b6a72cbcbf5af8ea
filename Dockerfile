# The portal and the sandbox in one image; docker-compose.yml says what each container runs.
FROM python:3.11-slim AS packages
COPY requirements.lock /
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes -r /requirements.lock

FROM python:3.11-slim
RUN useradd --system --uid 10001 --home-dir /app choirmaster && install -d -o choirmaster /data
COPY --from=packages /venv /venv
WORKDIR /app
COPY manage.py ./
COPY portal portal
COPY tenants tenants
COPY quotas quotas
COPY jobs jobs
COPY templates templates
COPY static static
COPY sandbox sandbox
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=portal.settings STATIC_ROOT=/app/.static
# Static files are part of the image. The names below satisfy the settings; nothing is connected to.
RUN SECRET_KEY=used-for-nothing-but-this-one-build-step DATABASE_URL=postgresql:///unused REDIS_URL=redis://unused \
    CLUSTER_URL=http://unused CLUSTER_TOKEN_FILE=/dev/null python manage.py collectstatic --noinput \
    && chown -R choirmaster .static
USER choirmaster
EXPOSE 8000
CMD ["uvicorn", "portal.asgi:application", "--host", "0.0.0.0", "--port", "8000", \
     "--timeout-graceful-shutdown", "5", "--no-server-header"]
