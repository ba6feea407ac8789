"""Tests django-opensearch-dsl against indexerd, whose tables are Django's models."""

import os
import sys

import django
from django.conf import settings

settings.configure(
    INSTALLED_APPS=["django_opensearch_dsl"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"]}},
    OPENSEARCH_DSL={"default": {"hosts": os.environ["OPENSEARCH_URL"], "http_auth": ("any", os.environ["TOKEN"])}},
    OPENSEARCH_DSL_AUTOSYNC=False,
)
django.setup()

from django.db import models
from django_opensearch_dsl import Document, fields
from django_opensearch_dsl.registries import registry


class Film(models.Model):
    title = models.TextField()
    rating = models.TextField()
    year = models.IntegerField()

    class Meta:
        app_label = "films"
        db_table = "film"
        managed = False


@registry.register_document
class FilmDocument(Document):
    rating = fields.KeywordField()

    class Index:
        name = "film"

    class Django:
        model = Film
        fields = ["title", "year"]


failed = False


def check(name, got, want):
    global failed
    if got() == want:
        print("ok", name)
    else:
        failed = True
        print("not ok %s: got %r, want %r" % (name, got(), want))


sharks = FilmDocument.search().query("match", title="shark")
check("count", lambda: sharks.count(), 25)
check("hits", lambda: [h.title for h in sharks.sort("year", "_id")[:2]], ["Shark 10", "Shark 20"])
check("models", lambda: [(f.pk, f.title) for f in sharks[:3].to_queryset(keep_order=True)], [(10, "Shark 10"), (20, "Shark 20"), (30, "Shark 30")])
check("filter", lambda: sharks.filter("term", rating="PG").count(), 9)
check("document", lambda: FilmDocument.get(id="20").title, "Shark 20")
check("scan", lambda: len({h.meta.id for h in FilmDocument.search().scan()}), 125)
check("hidden", lambda: FilmDocument.search().query("match", title="secret").count(), 0)
sys.exit(failed)
