// SPDX-License-Identifier: Apache-2.0
package io.safebunny.actuate;

import io.safebunny.poison.PoisonedMessage;
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

    /** Masks nothing: UTF-8. */
    static BodyMasker none() {
        return (message, body) -> new String(body, StandardCharsets.UTF_8);
    }
}
