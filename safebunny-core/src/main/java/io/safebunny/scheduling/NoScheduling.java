// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessage;
import io.safebunny.ScheduledMessages;
import io.safebunny.failure.MisuseException;
import io.safebunny.node.NodeFeature;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The API of a node without scheduling: every call fails, and names the setting that enables it. */
record NoScheduling(String node) implements NodeFeature, ScheduledMessages {

    @Override
    public List<Object> offers() {
        return List.of(this);
    }

    private MisuseException refusal() {
        return new MisuseException(
                MisuseException.SCHEDULING,
                "Node %s stores no scheduled messages. Set safebunny.scheduling.enabled=true, which needs a store (safebunny.store.type)."
                        .formatted(node));
    }

    @Override
    public String schedule(Object payload, PublishOptions options) {
        throw refusal();
    }

    @Override
    public boolean cancel(String handle) {
        throw refusal();
    }

    @Override
    public boolean move(String handle, Instant deliverAt) {
        throw refusal();
    }

    @Override
    public Optional<ScheduledMessage> find(String handle) {
        throw refusal();
    }
}
