// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;

/** A node that publishes to the application in a {@link BunnyTest}. Called by the thread of the test. */
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
     * Publishes as {@link Bunny#publish(Object, PublishOptions)} does, and throws what it throws. Nothing is handled yet.
     *
     * @return correlation id, which is the id of the saga that begins with this message
     */
    public String publish(Object payload, PublishOptions options) {
        return bunny.publish(payload, options).correlationId();
    }
}
