// SPDX-License-Identifier: Apache-2.0
package io.safebunny.actuate;

import io.safebunny.poison.PoisonedMessage;
import io.safebunny.saga.SagaView;
import java.nio.charset.StandardCharsets;

/**
 * SPI: turns the body of a message into what the endpoint {@code safebunnypoison} shows of it, where
 * {@code management.endpoint.safebunnypoison.show-bodies} lets it show any. A bean of this type replaces the default, which shows all as text.
 * Called by several threads at once. When it throws, nothing of the body is shown.
 */
@FunctionalInterface
public interface BodyMasker {

    /** @param body decoded, if its {@code content-encoding} is known */
    String mask(PoisonedMessage message, byte[] body);

    /**
     * What the endpoint {@code safebunny} shows of a saga's state, where {@code management.endpoint.safebunny.show-states} lets it show any.
     * Shows nothing unless overridden.
     */
    default String maskState(SagaView saga) {
        return "not shown: the BodyMasker does not mask states";
    }

    /** Masks nothing: UTF-8. */
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
