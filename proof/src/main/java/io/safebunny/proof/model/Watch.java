// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.proof.model.saga.ShopSaga;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Follows every write of the sagas' node and everything that is sent, and compares both with the model. Confined to one thread. */
final class Watch {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String COMPANION = "saga." + ShopSaga.NAME;
    /** What a saga may publish only by a write of it. */
    private static final Set<String> OF_SAGAS =
            Set.of("ReserveStock", "ReleaseStock", "Capture", "Refund", "SagaFailed");
    /** Their handlers never fail here, so they never cost an attempt. */
    private static final Set<String> NEVER_RETRIED =
            Set.of("PlaceOrder", "Captured", "Declined", "BunnyUndone", "BunnyTimeout", "BunnyRepair");

    private final Map<String, WireMessage> sent = new HashMap<>();
    /** News of one message set aside twice is one message, whose copies may tell different reasons. */
    private final Map<String, List<WireMessage>> news = new HashMap<>();

    private final Set<String> written = new HashSet<>();
    private final Map<String, RecordState> states = new HashMap<>();
    private final Map<String, ShopModel> models = new TreeMap<>();
    private @Nullable String deviation;

    /** Throws what is wrong, where the engines cannot catch it. */
    void check() {
        if (deviation != null) {
            throw new DeviationException(deviation);
        }
    }

    ShopModel model(String sagaId) {
        return models.computeIfAbsent(sagaId, id -> new ShopModel(this::isSetAside));
    }

    /** One that could not be read has no record. */
    private boolean isSetAside(String messageId) {
        return states.getOrDefault(messageId, RecordState.POISONED) == RecordState.POISONED;
    }

    boolean isKnown(String sagaId) {
        return models.containsKey(sagaId);
    }

    private void deviates(String where, RuntimeException e) {
        if (deviation == null) {
            String what = e instanceof DeviationException ? String.valueOf(e.getMessage()) : e.toString();
            deviation = where + ": " + what;
        }
    }

    // ---- what is sent

    void sent(Instance instance, OutboundMessage message) {
        WireMessage wire = message.message();
        sent.putIfAbsent(String.valueOf(wire.messageId()), wire);
        if ("BunnyPoisoned".equals(wire.type())) {
            news.computeIfAbsent(String.valueOf(wire.messageId()), id -> new ArrayList<>())
                    .add(wire);
        }
        if (!instance.node().equals(ShopSaga.NODE)) {
            return;
        }
        String type = String.valueOf(wire.type());
        boolean first = message.route() instanceof Route.ToSubscribers;
        if (first && OF_SAGAS.contains(type) && !written.contains(String.valueOf(wire.messageId()))) {
            deviates(type + " of " + wire.correlationId(), new DeviationException("sent but not written"));
        }
        if (message.route() instanceof Route.ToQueue
                && NEVER_RETRIED.contains(type)
                && wire.headers().get(Headers.ATTEMPT) instanceof Number attempt
                && attempt.intValue() > 0) {
            deviates(type + " of " + wire.correlationId(), new DeviationException("an attempt was spent"));
        }
    }

    boolean wasSent(String messageId) {
        return sent.containsKey(messageId);
    }

    /** Publications of written messages that were never sent. */
    long unsent() {
        return written.stream().filter(id -> !sent.containsKey(id)).count();
    }

    // ---- what is written

    void wrote(List<MessageRecord> records) {
        MessageRecord saga = null;
        MessageRecord message = null;
        for (MessageRecord record : records) {
            RecordKey key = record.key();
            if (key.equals(RecordKey.companion(key.correlationId(), COMPANION))) {
                saga = record;
            } else if (!key.isCompanion()) {
                message = record;
                states.put(key.messageId(), record.state());
            }
        }
        try {
            if (saga != null) {
                compare(saga, message);
            } else if (message != null && message.state() == RecordState.COMPLETED) {
                message.outgoing()
                        .forEach(sent ->
                                written.add(String.valueOf(sent.message().messageId())));
            }
        } catch (RuntimeException e) {
            deviates(
                    "%s after %s"
                            .formatted(
                                    records.get(0).key().correlationId(),
                                    message == null ? "nothing" : message.key().messageId() + ' ' + type(message)),
                    e);
        }
    }

    private String type(MessageRecord message) {
        WireMessage wire = sent.get(message.key().messageId());
        return wire == null ? "?" : String.valueOf(wire.type());
    }

    /** Of several copies, the one that the history tells of. */
    private @Nullable WireMessage handled(String id, JsonNode document) {
        JsonNode history = document.path("history");
        String last = history.path(history.size() - 1).path("what").asString("");
        Set<Long> blocks = new HashSet<>();
        document.path("blockedOn")
                .forEach(block -> blocks.add(block.path("setAsideAt").asLong()));
        // if it blocks nothing, the earliest, after which an answer is most likely to count
        return news.getOrDefault(id, List.of()).stream()
                .filter(copy -> last.endsWith(": " + copy.headers().get(ShopModel.NEWS_REASON)))
                .min(Comparator.<WireMessage, Boolean>comparing(copy -> !blocks.contains(ShopModel.setAsideAt(copy)))
                        .thenComparing(ShopModel::setAsideAt))
                .orElse(sent.get(id));
    }

    private void compare(MessageRecord saga, @Nullable MessageRecord message) {
        JsonNode document = JSON.readTree(saga.steps().getOrDefault("saga", ""));
        ShopModel model = model(saga.key().correlationId());
        if (message == null) {
            model.lookedAfter(document, saga.version());
            return;
        }
        if (message.state() == RecordState.POISONED) {
            model.stuckBy(message.key().messageId());
        } else {
            WireMessage wire = handled(message.key().messageId(), document);
            if (wire == null) {
                throw new DeviationException("a message was handled that was never sent");
            }
            List<String> due = model.take(wire, document.path("changedAt").asLong());
            List<String> types = message.outgoing().stream()
                    .map(publication -> String.valueOf(publication.message().type()))
                    .toList();
            if (!due.equals(types)) {
                throw new DeviationException("published %s instead of %s".formatted(types, due));
            }
            for (OutboundMessage publication : message.outgoing()) {
                String id = String.valueOf(publication.message().messageId());
                written.add(id);
                model.steps().learn(String.valueOf(publication.message().type()), id);
            }
        }
        model.compare(document, saga.version());
    }
}
