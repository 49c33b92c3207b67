// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import com.rabbitmq.client.GetResponse;
import io.safebunny.identity.Ancestry;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.message.WireMessage;
import io.safebunny.proof.ledger.Entry;
import io.safebunny.proof.ledger.Entry.Kind;
import io.safebunny.proof.matrix.stage.Stage;
import io.safebunny.proof.saga.Order;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Checks an order after it was handled. */
final class SagaChecks extends Checks {

    private static final List<String> PUBLICATIONS = List.of("Charged", "Shipped");
    private static final JsonMapper JSON = new JsonMapper();

    private final Stage stage;
    private final Order order;
    private final Expectation expected;

    SagaChecks(Stage stage, Order order, Expectation expected) {
        super(stage);
        this.stage = stage;
        this.order = order;
        this.expected = expected;
    }

    @Override
    boolean hasEnded() {
        return recordHasEnded() && sagaHasEnded();
    }

    @Override
    String describe() {
        return "record %s, finished %s, in the order queue %s"
                .formatted(
                        stage.record(order),
                        finished(),
                        stage.queues().messages(stage.queues().orders()));
    }

    private boolean sagaHasEnded() {
        return switch (expected.end()) {
            case FINISHED -> new HashSet<>(finished()).size() == publications();
            case POISONED -> stage.queues().messages(stage.queues().poison()) > 0;
            case POISONED_AT_DESK -> stage.queues().messages(stage.queues().deskPoison()) >= publications();
            case NOTHING -> finished().isEmpty();
        };
    }

    private int publications() {
        return order.kind().publishes() ? PUBLICATIONS.size() : 0;
    }

    private List<String> finished() {
        return stage.ledger().entries(Kind.FINISHED).stream().map(Entry::detail).toList();
    }

    private boolean recordHasEnded() {
        if (!stage.isDurable() || !expected.recordEnds()) {
            return !stage.ledger().entries(Kind.HANDLING).isEmpty();
        }
        MessageRecord record = stage.record(order);
        RecordState end = expected.end() == End.POISONED ? RecordState.POISONED : RecordState.DISPATCHED;
        return record != null && record.state() == end;
    }

    @Override
    String declared() {
        boolean happened = stage.ledger().entries(Kind.CHARGED).size() > 1
                || expected.end() != usualEnd()
                || (stage.isDurable() && !expected.recordEnds())
                || attempts().size() > order.kind().runs();
        return happened ? expected.declared() : "";
    }

    private Set<String> attempts() {
        return stage.ledger().entries(Kind.HANDLING).stream()
                .map(Entry::detail)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> numbers(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).collect(Collectors.toCollection(TreeSet::new));
    }

    private End usualEnd() {
        return order.kind().isPoisoned() ? End.POISONED : End.FINISHED;
    }

    @Override
    void check() {
        checkRuns();
        checkCharges();
        checkPublications();
        checkCommitted();
        checkPoison();
    }

    private void checkRuns() {
        List<Entry> runs = stage.ledger().entries(Kind.HANDLING);
        require(
                runs.size() >= expected.minRuns() && runs.size() <= expected.maxRuns(),
                "the handler ran %s times, not %s to %s",
                runs.size(),
                expected.minRuns(),
                expected.maxRuns());
        if (expected.end() == End.POISONED && !order.kind().isPoisoned()) {
            return;
        }
        Set<String> attempts = attempts();
        Set<String> due = numbers(order.kind().runs());
        Set<String> allowed = numbers(order.kind().runs() + expected.moreAttempts());
        require(
                attempts.containsAll(due) && allowed.containsAll(attempts),
                "attempts %s instead of %s to %s",
                attempts,
                due,
                allowed);
    }

    private void checkCharges() {
        int charges = stage.ledger().entries(Kind.CHARGED).size();
        require(charges >= 1 && charges <= expected.maxCharges(), "the step had %s effects", charges);
    }

    private void checkPublications() {
        List<WireMessage> arrived = stage.arrived();
        Set<String> runs = new HashSet<>();
        for (String type : PUBLICATIONS) {
            Set<String> copies = arrived.stream()
                    .filter(message -> type.equals(message.type()))
                    .map(message -> message.messageId() + ' ' + message.correlationId() + ' ' + body(message))
                    .collect(Collectors.toSet());
            boolean due = order.kind().publishes() && expected.end() != End.POISONED;
            require(copies.size() == (due ? 1 : 0), "%s different messages of type %s", copies.size(), type);
            if (due && copies.size() == 1) {
                String copy = copies.iterator().next();
                require(
                        copy.startsWith(expectedId(type) + ' ' + order.id() + ' '),
                        "a publication with another id than expected: %s",
                        copy);
                runs.add(content(arrived, type).path("run").asString());
            }
            long handled = finished().stream().filter(type::equals).count();
            require(
                    handled == (due && expected.end() == End.FINISHED ? 1 : 0),
                    "%s was handled %s times",
                    type,
                    handled);
        }
        require(runs.size() <= 1, "publications of different runs: %s", runs);
        checkCharge(arrived);
    }

    private void checkCharge(List<WireMessage> arrived) {
        if (arrived.stream().anyMatch(message -> "Charged".equals(message.type()))) {
            String charge = content(arrived, "Charged").path("charge").asString();
            Collection<String> charges = stage.ledger().entries(Kind.CHARGED).stream()
                    .map(Entry::detail)
                    .toList();
            require(charges.contains(charge), "charge %s was never made", charge);
        }
    }

    private String expectedId(String type) {
        String parent = String.valueOf(stage.messageId());
        return new LineageIdScheme().idOf(new Ancestry(order.id(), parent, stage.workerName(), type, "1", 2));
    }

    private static String body(WireMessage message) {
        return new String(message.body(), StandardCharsets.UTF_8);
    }

    private static JsonNode content(List<WireMessage> messages, String type) {
        return messages.stream()
                .filter(message -> type.equals(message.type()))
                .findFirst()
                .map(message -> JSON.readTree(message.body()))
                .orElseThrow();
    }

    /** The handler's own rows, the completion and the publications must have been one transaction. */
    private void checkCommitted() {
        List<String> committed = stage.committedRuns(order.id());
        if (committed == null) {
            return;
        }
        int due = expected.end() == End.POISONED ? 0 : 1;
        require(committed.size() == due, "%s committed rows instead of %s", committed.size(), due);
        if (committed.size() == 1 && publications() > 0 && !stage.arrived().isEmpty()) {
            String published = content(stage.arrived(), "Charged").path("run").asString();
            require(
                    committed.get(0).equals(published),
                    "run %s is committed and run %s is published",
                    committed.get(0),
                    published);
        }
    }

    private void checkPoison() {
        List<GetResponse> poison = stage.queues().drain(stage.queues().poison());
        require(poison.isEmpty() == (expected.end() != End.POISONED), "%s messages in the poison queue", poison.size());
        for (GetResponse message : poison) {
            require(
                    String.valueOf(stage.messageId()).equals(message.getProps().getMessageId()),
                    "a foreign message in the poison queue: %s",
                    message.getProps().getMessageId());
            JsonNode body = JSON.readTree(message.getBody());
            require(order.id().equals(body.path("id").asString()), "another body in the poison queue: %s", body);
        }
        int atDesk = stage.queues().drain(stage.queues().deskPoison()).size();
        require(
                atDesk == 0 || expected.end() == End.POISONED_AT_DESK,
                "%s messages in the poison queue of the desk",
                atDesk);
    }
}
