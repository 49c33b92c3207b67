// SPDX-License-Identifier: Apache-2.0
package io.safebunny.upgrade;

import io.safebunny.actuate.BodyMasker;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.SafeBunnyException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.scanning.BodyVersions;
import io.safebunny.incident.Masking;
import io.safebunny.message.MessageTypes;
import io.safebunny.node.Node;
import io.safebunny.node.NodeFeature;
import io.safebunny.poison.replay.QueuePoisonMessages;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.upgrade.SampledMessages.Known;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/** Takes samples of what is stored, for the check of the next version. Thread-safe, if the masker is. */
public final class UpgradeSamples implements NodeFeature {

    /** Messages of each type, and states of each saga, in each version. */
    public static final int DEFAULT = 20;

    public static final int MOST = 100;

    private final Node node;
    private final SagaSupervision sagas;
    private final StoredMessages stored;
    private final ReentrantLock turn = new ReentrantLock(); // each may take some megabytes
    private volatile List<HandlerDefinition> handlers = List.of();

    public UpgradeSamples(Node node, SagaSupervision sagas, QueuePoisonMessages poison) {
        this.node = node;
        this.sagas = sagas;
        this.stored = new StoredMessages(node, poison);
    }

    @Override
    public List<Object> offers() {
        return List.of(this);
    }

    @Override
    public void startConsuming(List<HandlerDefinition> all) {
        handlers = all.stream()
                .filter(handler -> !MessageTypes.isReserved(handler.type()))
                .toList();
    }

    /**
     * Takes one. Asks broker, store and the other instances, so it may block.
     *
     * @param most messages of each type, and states of each saga, in each version
     * @throws MisuseException SB-5016 if another one is being taken
     * @throws io.safebunny.store.StoreUnavailableException if the store does not answer
     */
    public UpgradeSample take(int most, BodyMasker masker) {
        if (!turn.tryLock()) {
            throw new MisuseException(
                    MisuseException.BUSY,
                    "Another sample is being taken at this instance [node=%s], and each needs some memory. Ask again when it is there."
                            .formatted(node.name()));
        }
        try {
            return taken(most, masker);
        } finally {
            turn.unlock();
        }
    }

    private UpgradeSample taken(int most, BodyMasker masker) {
        Map<String, Known> published = published();
        Map<String, Known> known = new TreeMap<>(published);
        handlers.forEach(handler -> known.put(handler.type(), Known.of(handler)));
        Masking masking =
                new Masking(masker, node.parts().codecs(), node.parts().serializers());
        Omissions omissions = new Omissions();
        Pseudonyms ids = new Pseudonyms();
        SampledMessages messages = new SampledMessages(
                node.parts().codecs(), node.parts().serializers(), known, masking, omissions, ids, most);
        stored.forEach(messages::isKept, messages::add, omissions);
        SampledSagas states = new SampledSagas(node, sagas.sagas(), masking, omissions, ids, messages, most);
        List<UpgradeSample.Saga> kinds = new ArrayList<>();
        for (SagaDefinition saga : sagas.definitions()) {
            kinds.add(states.take(saga));
        }
        return new UpgradeSample(
                node.name(),
                node.timeline().now().toString(),
                handlers.stream()
                        .map(handler -> type(handler.type(), handler.payloadClass(), handler.from()))
                        .toList(),
                published.entrySet().stream()
                        .map(one -> type(one.getKey(), one.getValue().payload(), List.of()))
                        .toList(),
                kinds,
                messages.taken(),
                states.states(),
                omissions.all());
    }

    private static UpgradeSample.Type type(String type, Class<?> payload, List<String> from) {
        return new UpgradeSample.Type(type, BodyVersions.presentOf(payload), payload.getName(), from);
    }

    /** What this process has published, by type. */
    private Map<String, Known> published() {
        Map<String, Known> published = new TreeMap<>();
        for (Class<?> payload : node.parts().serializers().written()) {
            try {
                String type = MessageTypes.nameOf(payload);
                BodyVersions unused = BodyVersions.of(payload);
                if (!MessageTypes.isReserved(type)) {
                    published.put(type, new Known(payload, payload, null));
                }
            } catch (SafeBunnyException e) {
                // not a class of messages, or one that can only be written: nobody could read a sample of it
            }
        }
        return published;
    }
}
