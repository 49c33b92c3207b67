// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessage;
import io.safebunny.ScheduledMessages;
import io.safebunny.engine.SafeBunnyEngine;
import java.time.Instant;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;

/** The engine's {@link ScheduledMessages}; handlers, on which the engine depends, may have them injected. Thread-safe. */
final class DeferredScheduledMessages implements ScheduledMessages {

    private final ObjectProvider<SafeBunnyEngine> engine;

    DeferredScheduledMessages(ObjectProvider<SafeBunnyEngine> engine) {
        this.engine = engine;
    }

    private ScheduledMessages messages() {
        return engine.getObject().get(ScheduledMessages.class);
    }

    @Override
    public String schedule(Object payload, PublishOptions options) {
        return messages().schedule(payload, options);
    }

    @Override
    public boolean cancel(String handle) {
        return messages().cancel(handle);
    }

    @Override
    public boolean move(String handle, Instant deliverAt) {
        return messages().move(handle, deliverAt);
    }

    @Override
    public Optional<ScheduledMessage> find(String handle) {
        return messages().find(handle);
    }
}
