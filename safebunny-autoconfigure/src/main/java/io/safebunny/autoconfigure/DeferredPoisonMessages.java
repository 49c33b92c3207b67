// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonList;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;

/** The engine's {@link PoisonMessages}, which are known only when it has started; beans may have them injected before. Thread-safe. */
final class DeferredPoisonMessages implements PoisonMessages {

    private final ObjectProvider<SafeBunnyEngine> engine;

    DeferredPoisonMessages(ObjectProvider<SafeBunnyEngine> engine) {
        this.engine = engine;
    }

    private PoisonMessages messages() {
        return engine.getObject().get(PoisonMessages.class);
    }

    @Override
    public PoisonList list(PoisonFilter filter) {
        return messages().list(filter);
    }

    @Override
    public List<PoisonCopy> find(String messageId, long bodyBytes) {
        return messages().find(messageId, bodyBytes);
    }

    @Override
    public PoisonOperation replay(PoisonRequest request) {
        return messages().replay(request);
    }

    @Override
    public PoisonOperation discard(PoisonRequest request) {
        return messages().discard(request);
    }

    @Override
    public PoisonOperation restore(PoisonRequest request) {
        return messages().restore(request);
    }

    @Override
    public PoisonList archived(PoisonFilter filter) {
        return messages().archived(filter);
    }

    @Override
    public PoisonOperation edit(PoisonEdit edit) {
        return messages().edit(edit);
    }

    @Override
    public List<PoisonOperation> operations() {
        return messages().operations();
    }
}
