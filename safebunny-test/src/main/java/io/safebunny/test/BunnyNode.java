// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;

/** A node that publishes to the application in a {@link BunnyTest}. For the test's thread only. */
public final class BunnyNode {

    private final Bunny bunny;

    BunnyNode(Bunny bunny) {
        this.bunny = bunny;
    }

    /** {@link #publish(Object, PublishOptions)} without options. */
    public String publish(Object payload) {
        return publish(payload, PublishOptions.none());
    }

    /**
     * Publishes, and throws, as {@link Bunny#publish(Object, PublishOptions)} does. Nothing is handled yet.
     *
     * @return the correlation id, which is the id of a saga that this message starts
     */
    public String publish(Object payload, PublishOptions options) {
        return bunny.publish(payload, options).correlationId();
    }
}
