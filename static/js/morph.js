// A live panel must not close what somebody opened nor change what somebody types. Set here and not by the attribute
// `morph:{…}`, which is evaluated as code and dies under the Content-Security-Policy.
"use strict";
Idiomorph.defaults.ignoreActiveValue = true;
Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, element) => !(name === "open" && element.tagName === "DETAILS");
