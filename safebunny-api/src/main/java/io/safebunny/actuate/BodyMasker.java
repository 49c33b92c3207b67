// SPDX-License-Identifier: Apache-2.0
package io.safebunny.actuate;

import io.safebunny.poison.PoisonedMessage;
import io.safebunny.saga.SagaView;
import java.nio.charset.StandardCharsets;

/**
 * SPI: decides how much of a message's body the endpoint {@code safebunnypoison} shows, if {@code
 * management.endpoint.safebunnypoison.show-bodies} allows bodies at all. A bean of this type replaces the default, which shows the whole
 * body as text. Called by several threads at once. If it throws, nothing of the body is shown.
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
     * Masks fields of JSON in bodies and states, and shows the rest. The value of a masked field keeps its type, so that the whole can still
     * be read as what it is: a text becomes {@code ***}, a number 0, and an object or an array is masked in all that it contains. Shows
     * nothing of what is not JSON. Thread-safe.
     *
     * @param fields names, wherever they are, such as {@code iban}; with the names before them, such as {@code card.number}, only there.
     *     Elements of arrays have no names
     * @throws io.safebunny.failure.MisuseException SB-5001 if there is none, or one is blank
     */
    static BodyMasker fields(String... fields) {
        return new MaskedFields(fields);
    }

    /** Masks nothing: shows the whole body as UTF-8 text. */
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
        };
    }
}
