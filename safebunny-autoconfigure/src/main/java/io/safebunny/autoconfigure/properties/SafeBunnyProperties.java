// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import io.safebunny.failure.InvalidProperty;
import io.safebunny.node.AnswersTo;
import io.safebunny.node.SafeBunnyOptions;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of the node itself.
 *
 * @param enabled Whether SafeBunny is active. When false no SafeBunny bean is created and nothing connects.
 * @param node Name of this node on the wire: its queues and routing keys begin with it. All instances of one application share
 *     it. Defaults to spring.application.name. Renaming a node leaves its old queues and their messages behind.
 * @param transport What carries messages. The memory transport keeps them within this process.
 * @param maxMessageSize Largest message body to publish or consume. A larger one is refused when published, and goes to the
 *     poison queue when received. Raising it costs heap: up to prefetch bodies of this size are held per message type, and a JSON
 *     body may take 25 times this size as a map or a tree.
 * @param operations What instances tell each other.
 */
@ConfigurationProperties("safebunny")
public record SafeBunnyProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String node,
        @DefaultValue("rabbit") TransportKind transport,
        @DefaultValue("10MB") DataSize maxMessageSize,
        @DefaultValue Operations operations)
        implements NodeProperties {

    public SafeBunnyProperties {
        InvalidProperty.unlessWithin(
                DataSize.ofBytes(1), DataSize.ofMegabytes(512), "safebunny.max-message-size", maxMessageSize, "10MB");
    }

    @Override
    public SafeBunnyOptions applyTo(SafeBunnyOptions options) {
        return options.withMaxMessageSize(maxMessageSize.toBytes()).withAnswersTo(operations.answers());
    }

    /**
     * What instances tell each other.
     *
     * @param answers Whose questions this instance answers, such as which types it handles, or what it knows of an id: those of every instance
     *     on the broker (all), of instances of its own node (node), or of nobody (none). Answers hold no body, header or state of a saga, and
     *     no text of an operator or an exception. Nobody proves who asks: keep instances out with the permissions of the broker.
     */
    public record Operations(@DefaultValue("all") AnswersTo answers) {}

    /** What carries messages. */
    public enum TransportKind {
        /** RabbitMQ, with the connection settings of {@code spring.rabbitmq.*}. */
        RABBIT,
        /** A broker inside this process; messages are lost when it ends. */
        MEMORY
    }
}
