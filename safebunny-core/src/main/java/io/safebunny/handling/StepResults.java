// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.PoisonMessageException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.SerializationException;
import io.safebunny.serialization.json.JsonMessageSerializer;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;

/** Converts results of steps to JSON and back. Thread-safe. */
final class StepResults {

    private static final MessageSerializer JSON = JsonMessageSerializer.ofResults();

    private StepResults() {}

    /**
     * To be called before the step runs: afterwards it would be too late to refuse it.
     *
     * @throws MisuseException a result of this type could never be read back
     */
    static void requireReadable(String name, Class<?> type) {
        try {
            JSON.prepare(type);
        } catch (ConfigurationException e) {
            throw new MisuseException(
                    MisuseException.STEP,
                    "The result of step [%s] could not be read back. %s %s".formatted(name, e.problem(), e.action()));
        }
    }

    /** @throws PoisonMessageException the result cannot be written, or nothing could read it back */
    static String write(String name, Object result) {
        try {
            byte[] json = JSON.serialize(result);
            Object unused = JSON.deserialize(json, JsonNode.class);
            return new String(json, StandardCharsets.UTF_8);
        } catch (SerializationException e) {
            throw new PoisonMessageException(
                    "The result of step [%s] cannot be stored: %s. The step has been run. Return something simple, such as an id."
                            .formatted(name, e.messageWithoutCode()),
                    e);
        }
    }

    /** @throws PoisonMessageException it is not what the type reads: not any more, or it never was */
    static <T> T read(String name, Class<T> type, String json) {
        try {
            Object value = JSON.deserialize(json.getBytes(StandardCharsets.UTF_8), type);
            // for a primitive's class the value is its wrapper, which cast() would refuse
            @SuppressWarnings("unchecked")
            T result = (T) value;
            return result;
        } catch (SerializationException e) {
            throw new PoisonMessageException(
                    "The stored result of step [%s] is not a %s: %s. The step has been run. Correct the type so that it reads what it wrote, and replay the message: the step is not run again. Under another name it would be."
                            .formatted(name, type.getName(), e.messageWithoutCode()),
                    e);
        }
    }
}
