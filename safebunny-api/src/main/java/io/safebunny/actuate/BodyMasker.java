// SPDX-License-Identifier: Apache-2.0
package io.safebunny.actuate;

import io.safebunny.poison.PoisonedMessage;
import io.safebunny.saga.SagaView;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * SPI: decides how much of a message's body and headers the endpoint {@code safebunnypoison} shows, if {@code
 * management.endpoint.safebunnypoison.show-bodies} allows them at all. A bean of this type replaces the default, which shows the whole
 * body as text. Called by several threads at once. If it throws, nothing of what it was asked about is shown. It is not asked about ids,
 * reasons, names of steps, histories of sagas and the texts of exceptions, which everybody sees who reaches the endpoints.
 */
@FunctionalInterface
public interface BodyMasker {

    /** @param body decoded, if its {@code content-encoding} is known */
    String mask(PoisonedMessage message, byte[] body);

    /**
     * Decides how much of a saga's state the endpoint {@code safebunny} shows, if {@code management.endpoint.safebunny.show-states} allows
     * states at all. Shows nothing unless overridden.
     */
    default String maskState(SagaView saga) {
        return "not shown: the BodyMasker does not mask states";
    }

    /**
     * Decides what is shown of the application's own headers of a message. Shows their names alone unless overridden.
     *
     * @return the headers to show, by name
     */
    default Map<String, Object> maskHeaders(PoisonedMessage message) {
        Map<String, Object> names = new TreeMap<>();
        message.headers().keySet().forEach(name -> names.put(name, "***"));
        return names;
    }

    /**
     * Masks fields of JSON in bodies and states, and headers of the same names, and shows the rest. A masked value keeps its type, so that
     * the whole can still be read as what it is: a text becomes {@code ***}, a number 0, and an object or an array is masked in all that it
     * contains. Shows nothing of a body that is not JSON. Does not look into texts, also if they are JSON themselves. Thread-safe.
     *
     * @param fields names, wherever they are, such as {@code iban}; with the names before them, such as {@code card.number}, only there.
     *     Upper and lower case are the same. Elements of arrays have no names
     * @throws io.safebunny.failure.MisuseException SB-5001 if there is none, or one is blank
     */
    static BodyMasker fields(String... fields) {
        return new MaskedFields(fields);
    }

    /** Masks nothing: shows the whole body as UTF-8 text, and all headers. */
    static BodyMasker none() {
        return new BodyMasker() {
            @Override
            public String mask(PoisonedMessage message, byte[] body) {
                return new String(body, StandardCharsets.UTF_8);
            }

            @Override
            public String maskState(SagaView saga) {
                return saga.state();
            }

            @Override
            public Map<String, Object> maskHeaders(PoisonedMessage message) {
                return message.headers();
            }
        };
    }
}
