// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.failure.MisuseException;
import io.safebunny.test.harness.RawPublisher;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A node that publishes to the application in a {@link BunnyTest}. For the test's thread only. */
public final class BunnyNode {

    private final Bunny bunny;
    private final RawPublisher raw;
    private final Consumer<String> requireTaken;

    /** @param requireTaken throws if the application does not take messages with this name of a type from this node */
    BunnyNode(Bunny bunny, RawPublisher raw, Consumer<String> requireTaken) {
        this.bunny = bunny;
        this.raw = raw;
        this.requireTaken = requireTaken;
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

    /** {@link #deliver(String, String, String)} with a random correlation id. */
    public String deliver(String type, String json) {
        return send(type, 1, json, null);
    }

    /**
     * Publishes a body as it was on the wire, even if no handler can read it. Middlewares do not see it, and nothing is handled yet.
     *
     * @param type name of the message type
     * @param json the body; it is not checked, and read as {@code application/json}
     * @return the correlation id
     * @throws MisuseException SB-5001 if the application does not take messages of this type from this node
     */
    public String deliver(String type, String json, String correlationId) {
        return send(type, 1, json, correlationId);
    }

    /**
     * Like {@link #deliver(String, String, String)}, with a body of this {@linkplain io.safebunny.BunnyMessage#version() version}.
     *
     * @param version from 1; not checked
     */
    public String deliver(String type, int version, String json, String correlationId) {
        return send(type, version, json, correlationId);
    }

    private String send(String type, int version, String json, @Nullable String correlationId) {
        requireTaken.accept(type);
        return raw.publish(type, version, json, correlationId);
    }
}
