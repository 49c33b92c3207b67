// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.PoisonMessageException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.serialization.JsonMessageSerializer;
import io.safebunny.spi.serialization.MessageSerializer;
import io.safebunny.spi.serialization.SerializationException;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;

/** Results of steps as JSON. Thread-safe. */
final class StepResults {

    private static final MessageSerializer JSON = JsonMessageSerializer.ofResults();

    private StepResults() {}

    /**
     * Checked before the step is run: afterwards it would be too late.
     *
     * @throws MisuseException a result of this type could never be read
     */
    static void requireReadable(String name, Class<?> type) {
        try {
            JSON.prepare(type);
        } catch (ConfigurationException e) {
            throw new MisuseException(
                    MisuseException.STEP,
                    "The result of step [%s] could not be read when it is needed. %s %s"
                            .formatted(name, e.problem(), e.action()));
        }
    }

    /** @throws PoisonMessageException it cannot be written, or could not be read again */
    static String write(String name, Object result) {
        try {
            byte[] json = JSON.serialize(result);
            Object unused =
                    JSON.deserialize(json, JsonNode.class); // or it would fail when the step must not be run again
            return new String(json, StandardCharsets.UTF_8);
        } catch (SerializationException e) {
            throw new PoisonMessageException(
                    "The result of step [%s] cannot be stored: %s. The step has been run. Return something simple, such as an id."
                            .formatted(name, e.messageWithoutCode()),
                    e);
        }
    }

    /** @throws PoisonMessageException the type has changed since */
    static <T> T read(String name, Class<T> type, String json) {
        try {
            Object value = JSON.deserialize(json.getBytes(StandardCharsets.UTF_8), type);
            @SuppressWarnings("unchecked") // a primitive's class reads its wrapper, so that cast() would refuse it
            T result = (T) value;
            return result;
        } catch (SerializationException e) {
            throw new PoisonMessageException(
                    "The stored result of step [%s] is no %s: %s. Its type has changed since it was stored; give the step a new name only if it may be run again."
                            .formatted(name, type.getName(), e.messageWithoutCode()),
                    e);
        }
    }
}
