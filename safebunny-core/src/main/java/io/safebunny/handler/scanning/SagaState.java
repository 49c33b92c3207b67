// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.serialization.json.StateFormat;
import java.lang.reflect.Type;

/** Checks whether the type of a state can become a JSON object and be read back from it. */
final class SagaState {

    private SagaState() {}

    /** @throws ConfigurationException SB-1107 */
    static void requireStorable(String where, Type type) {
        String flaw = StateFormat.flaw(type);
        if (flaw != null) {
            throw SagaReader.refused(
                    "The state of a saga cannot be stored [handler=%s, state=%s]: %s."
                            .formatted(where, type.getTypeName(), flaw),
                    "Return a record of your own, such as: record State(String order, long cents) {}.");
        }
    }
}
