// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Where handled messages are remembered.
 *
 * @param type Where handled messages are remembered, unless the application defines a MessageStore bean. None: a
 *     message that is delivered twice is handled twice. Memory: forgotten on restart and not shared between instances,
 *     for tests and demos.
 */
@ConfigurationProperties("safebunny.store")
record StoreProperties(@DefaultValue("none") Type type) {

    /** Where handled messages are remembered. */
    enum Type {
        /** Nowhere: duplicates are handled again. */
        NONE,
        /** In this process. */
        MEMORY
    }
}
