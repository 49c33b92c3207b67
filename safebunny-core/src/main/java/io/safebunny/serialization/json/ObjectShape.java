// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsonFormatVisitors.JsonObjectFormatVisitor;

/** Finds out whether values of a type become JSON objects. */
final class ObjectShape extends JsonFormatVisitorWrapper.Base {

    private boolean seen;

    boolean isSeen() {
        return seen;
    }

    /** @return {@code null}, so that properties are not visited */
    @Override
    public @Nullable JsonObjectFormatVisitor expectObjectFormat(JavaType type) {
        seen = true;
        return null;
    }
}
