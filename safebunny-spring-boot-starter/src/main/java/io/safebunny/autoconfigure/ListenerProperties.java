// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How messages are taken from the queues.
 *
 * @param prefetch How many messages of one type are handled at once, unless a handler says otherwise; 1 to 2000.
 *     Raising it costs a thread per message in work, and more messages are delivered again when the process dies.
 */
@ConfigurationProperties("safebunny.listener")
record ListenerProperties(@DefaultValue("10") int prefetch) {

    ListenerProperties {
        InvalidProperty.unlessWithin(1, 2000, "safebunny.listener.prefetch", prefetch, "10");
    }
}
