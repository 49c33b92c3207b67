// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import io.safebunny.failure.ConfigurationException;
import java.lang.reflect.Type;

/** No JSON at all can be read as this type. */
final class UnreadableTypeException extends ConfigurationException {

    private static final long serialVersionUID = 1;
    private static final String CODE = "SB-1112";

    UnreadableTypeException(Type type, String flaw) {
        super(
                CODE,
                "No JSON can be read as %s: %s.".formatted(type.getTypeName(), flaw),
                "Make it a record, such as: record OrderPlaced(String order, long cents) {}; or give its class a constructor with @JsonCreator, or one without parameters; or add the Jackson module that reads it (of Kotlin: tools.jackson.module:jackson-module-kotlin).");
    }
}
