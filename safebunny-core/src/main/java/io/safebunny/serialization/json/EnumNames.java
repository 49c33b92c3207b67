// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** What constants of an enum are called in JSON. What a mapper takes for one may be any text: it may have a default. Pure. */
final class EnumNames {

    private EnumNames() {}

    /** The names in the source, with those of annotations, and what the mapper writes. */
    static Set<String> of(Class<?> type, JsonMapper mapper) {
        Set<String> names = new HashSet<>();
        Object[] constants = type.getEnumConstants();
        for (Object constant : constants == null ? new Object[0] : constants) {
            names.add(((Enum<?>) constant).name());
            try {
                names.add(mapper.valueToTree(constant).asString(""));
            } catch (JacksonException e) {
                // it is only read
            }
        }
        for (Field field : type.getFields()) {
            JsonProperty own = field.isEnumConstant() ? field.getAnnotation(JsonProperty.class) : null;
            JsonAlias others = field.isEnumConstant() ? field.getAnnotation(JsonAlias.class) : null;
            names.addAll(own == null ? List.of() : List.of(own.value()));
            names.addAll(others == null ? List.of() : List.of(others.value()));
        }
        return names;
    }
}
