from portal.management.smoke.forms import forms_of

PAGE = """
<input name="outside" value="1">
<form action="/there/" method="post">
  <input type="hidden" name="key" value="a&amp;b"><input name="title" value="x">
  <input type="checkbox" name="on" checked><input type="checkbox" name="off" value="1">
  <input type="radio" name="size" value="s"><input type="radio" name="size" value="m" checked>
  <select name="first"><option value="1">One<option value="2">Two</select>
  <select name="chosen"><option value="1">One<option value="2" selected>Two</select>
  <textarea name="text">
line 1
line 2</textarea>
  <button name="dry_run" value="1">Check</button>
</form>
<form><input name="q"></form>
"""


def test_a_form_is_sent_as_the_page_has_it() -> None:
    form, search = forms_of(PAGE)
    assert (form.action, form.method) == ("/there/", "post")
    assert form.fields == {
        "key": "a&b",
        "title": "x",
        "on": "on",
        "size": "m",
        "first": "1",
        "chosen": "2",
        "text": "line 1\nline 2",
    }
    assert form.names == {*form.fields, "off"}
    assert (search.method, search.fields) == ("get", {"q": ""})
