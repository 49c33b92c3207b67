// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating;

import io.safebunny.recovery.NotHandledException;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The kinds of sagas of a node. Immutable. */
final class SagaTypes {

    private final Map<String, SagaType> byName = new LinkedHashMap<>();

    SagaTypes(List<SagaType> types) {
        types.forEach(type -> byName.put(type.name(), type));
    }

    Collection<SagaType> all() {
        return byName.values();
    }

    Set<String> names() {
        return Collections.unmodifiableSet(byName.keySet());
    }

    @Nullable
    SagaType find(String name) {
        return byName.get(name);
    }

    /** @throws NotHandledException this instance does not know it: another version of the application does */
    SagaType require(String name) {
        SagaType type = byName.get(name);
        if (type == null) {
            throw NotHandledException.byThisVersion(
                    "This instance has no saga %s: the message waits for an instance that has".formatted(name));
        }
        return type;
    }
}
