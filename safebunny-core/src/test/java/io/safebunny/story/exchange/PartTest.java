// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.ScheduledMessage;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Looked;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Pause;
import io.safebunny.story.NodeStory.Publication;
import io.safebunny.story.NodeStory.State;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What of a part leaves a node, how it is written and read, and how it is cut. */
class PartTest {

    private static final Instant NOW = Instant.parse("2026-03-02T10:41:00Z");
    private static final JsonMapper JSON = JsonMapper.shared();

    /** Ids, names, classes, and words of a closed list. Whoever adds a text to a part decides here whether it may leave its node. */
    private static final Set<String> MAY_LEAVE = Set.of(
            "node",
            "instance",
            "foundAs",
            "correlationIds",
            "sagas.saga",
            "sagas.id",
            "sagas.steps.name",
            "sagas.steps.messageId",
            "sagas.steps.type",
            "sagas.steps.undo",
            "sagas.timeouts",
            "sagas.blockedOn.messageId",
            "sagas.blockedOn.type",
            "sagas.blockedOn.node",
            "sagas.stuckOn.messageId",
            "sagas.stuckOn.node",
            "sagas.stuckOn.type",
            "sagas.stuckOn.exception",
            "sagas.awaited.type",
            "sagas.awaited.from",
            "messages.id",
            "messages.correlationId",
            "messages.type",
            "messages.failures.instance",
            "messages.failures.exception",
            "messages.published.id",
            "messages.published.type",
            "messages.line.head",
            "pauses.type",
            "pauses.state",
            "moved.messageId",
            "moved.correlationId",
            "outbox.messageId",
            "outbox.correlationId",
            "outbox.type",
            "scheduled.messageId",
            "looked.where");

    /** Those of which only what is known to be ours stays. */
    private static final Set<String> MUST_STAY = Set.of(
            "troubles",
            "sagas.reason",
            "sagas.blockedOn.reason",
            "sagas.stuckOn.text",
            "sagas.history.what",
            "sagas.history.repair",
            "sagas.history.by",
            "messages.failures.text",
            "pauses.reason",
            "pauses.by",
            "pauses.opened",
            "moved.by",
            "moved.reason",
            "looked.note");

    /** Fills every component, each text with its own path. */
    private static Object filled(Type type, String path) throws ReflectiveOperationException {
        if (type instanceof ParameterizedType generic) {
            Type[] of = generic.getActualTypeArguments();
            return generic.getRawType() == Map.class
                    ? Map.of("text of " + path, NOW)
                    : List.of(filled(of[0], path), filled(of[0], path));
        }
        Class<?> raw = (Class<?>) type;
        if (raw.isRecord()) {
            RecordComponent[] components = raw.getRecordComponents();
            Object[] values = new Object[components.length];
            Class<?>[] types = new Class<?>[components.length];
            for (int i = 0; i < components.length; i++) {
                String name = path.isEmpty() ? components[i].getName() : path + '.' + components[i].getName();
                values[i] = name.endsWith(".node") ? textOf(name) : filled(components[i].getGenericType(), name);
                types[i] = components[i].getType();
            }
            Constructor<?> constructor = raw.getDeclaredConstructor(types);
            return constructor.newInstance(values);
        }
        if (raw.isEnum()) {
            return raw.getEnumConstants()[0];
        }
        return Objects.requireNonNull(Map.<Class<?>, Object>of(
                        String.class,
                        "text of " + path,
                        Instant.class,
                        NOW,
                        int.class,
                        7,
                        long.class,
                        7L,
                        boolean.class,
                        true)
                .get(raw));
    }

    /** As the name of a node. */
    private static String textOf(String path) {
        return "text-of-" + path.replace('.', '-').toLowerCase(Locale.ROOT);
    }

    private static NodeStory full() throws ReflectiveOperationException {
        return (NodeStory) filled(NodeStory.class, "");
    }

    /** The paths of all texts that are as they were filled; those of all texts if {@code all}. */
    private static void texts(@Nullable Object value, String path, boolean all, Set<String> found)
            throws ReflectiveOperationException {
        if (value instanceof Collection<?> list) {
            for (Object element : list) {
                texts(element, path, all, found);
            }
        } else if (value instanceof Map<?, ?> map) {
            texts(map.keySet(), path, all, found);
        } else if (value instanceof String text) {
            if (all || text.contains("text of " + path) || text.contains(textOf(path))) {
                found.add(path);
            }
        } else if (value != null && value.getClass().isRecord()) {
            for (RecordComponent component : value.getClass().getRecordComponents()) {
                component.getAccessor().setAccessible(true);
                texts(
                        component.getAccessor().invoke(value),
                        path.isEmpty() ? component.getName() : path + '.' + component.getName(),
                        all,
                        found);
            }
        }
    }

    private static Set<String> texts(Object value, boolean all) throws ReflectiveOperationException {
        Set<String> found = new TreeSet<>();
        texts(value, "", all, found);
        return found;
    }

    @Test
    void everyTextOfAPartIsKnownToStayOrToLeave() throws ReflectiveOperationException {
        Set<String> known = new TreeSet<>(MAY_LEAVE);
        known.addAll(MUST_STAY);

        assertThat(texts(full(), true)).containsExactlyInAnyOrderElementsOf(known);
        assertThat(texts(full(), false)).containsExactlyInAnyOrderElementsOf(known);
    }

    @Test
    void whatPeopleAndExceptionsHaveWrittenStays() throws ReflectiveOperationException {
        NodeStory told = WithoutTexts.of(full());

        assertThat(texts(told, false)).containsExactlyInAnyOrderElementsOf(MAY_LEAVE);
        assertThat(told.toString())
                .doesNotContain(MUST_STAY.stream().map("text of "::concat).toList());
        assertThat(PartJson.answer("x", full(), true).toString())
                .doesNotContain(MUST_STAY.stream().map("text of "::concat).toList());
    }

    @Test
    void whoPausedATypeAndThatItsBreakerOpenedIsToldWithoutNames() {
        Pause by = new Pause("A", "OPEN", NOW, null, "fraud by Bob", "ann", null);
        Pause itself = new Pause("B", "OPEN", NOW, null, "rate of failures", null, null);

        List<Pause> told =
                WithoutTexts.of(part(List.of(), List.of(by, itself), List.of())).pauses();
        assertThat(told).extracting(Pause::by).containsExactly("an operator", null);
        assertThat(told).extracting(Pause::opened).containsOnlyNulls();
        assertThat(told).extracting(Pause::reason).containsOnlyNulls();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "took Captured m-1",
                "step pay: Capture",
                "timeout late at 2026-03-02T10:41:00Z",
                "Capture m-1 was set aside by billing: handler-failed",
                "stuck: Captured m-1 was set aside",
                "compensation failed: Refund m-1 was set aside",
                "stuck: the message of timeout late was set aside",
                "completed"
            })
    void eventsOfASagaThatAreOursStay(String what) throws ReflectiveOperationException {
        assertThat(told(what)).isEqualTo(what);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "failed: card 4111 is stolen",
                "skip of step pay by ann: she knows",
                "step pay: Capture and more",
                "took Captured m-1\nby ann",
                "Capture m-1 was set aside by billing: card 4111",
                "failed: Bob 4111 was set aside",
                "failed: she knows: Bob 4111 was set aside",
                "failed: Bob 4111 was set aside by ann: stolen",
                "refused RETRY (ann): Bob 4111 was set aside",
                "refused RETRY (ann): stuck: Bob 4111 was set aside",
                "she knows: Bob 4111 was set aside"
            })
    void eventsOfASagaThatMayQuoteAnybodyDoNot(String what) throws ReflectiveOperationException {
        assertThat(told(what)).isEqualTo(what.startsWith("failed: ") ? "failed" : "changed: its own node says why");
    }

    private static String told(String what) throws ReflectiveOperationException {
        NodeStory.Saga full = full().sagas().get(0);
        NodeStory.Saga saga = new NodeStory.Saga(
                full.saga(),
                full.id(),
                SagaStatus.ACTIVE,
                NOW,
                NOW,
                null,
                full.steps(),
                full.timeouts(),
                full.blockedOn(),
                full.stuckOn(),
                full.awaited(),
                List.of(new SagaView.Event(NOW, what)));
        NodeStory part = part(List.of(), List.of(), List.of(saga));
        return WithoutTexts.of(part).sagas().get(0).history().get(0).what();
    }

    private static NodeStory part(List<Message> messages, List<Pause> pauses, List<NodeStory.Saga> sagas) {
        return new NodeStory(
                "billing",
                "billing-1",
                NOW,
                "correlation id",
                List.of("c"),
                List.of(),
                sagas,
                messages,
                pauses,
                List.of(),
                List.of(),
                List.of(new Looked("records", messages.size(), null)),
                false);
    }

    private static Message message(String id, State state, Instant at) {
        return new Message(id, "c", "Capture", state, 0, null, at, List.of(), List.of(), 0);
    }

    // ---- JSON

    @Test
    void aPartSurvivesJson() throws ReflectiveOperationException {
        NodeStory full = full();
        SharedPart read = Objects.requireNonNull(PartReader.read(PartWriter.json(new SharedPart(full, true))));

        assertThat(read.shared()).isTrue();
        assertThat(read.from(full.node(), full.instance()).part()).isEqualTo(full);
    }

    /** As another version may write it, or somebody who is none of us. */
    @Test
    void whatCannotBeReadIsLeftOutAndSaidToBe() throws ReflectiveOperationException {
        ObjectNode json = PartWriter.json(new SharedPart(full(), false));
        ((ObjectNode) json.path("messages").get(0)).put("state", "TELEPORTED");
        ((ObjectNode) json.path("sagas").get(0)).put("startedAt", "+999999999-01-01T00:00:00Z");
        ((ObjectNode) json.path("outbox").get(0)).remove("dueAt");
        ((ObjectNode) json.path("pauses").get(0))
                .put("type", "a\nb" + "x".repeat(2_000))
                .put("news", 1);
        json.remove("scheduled");

        NodeStory part = Objects.requireNonNull(PartReader.read(json)).part();
        assertThat(part.messages()).hasSize(1);
        assertThat(part.sagas()).hasSize(1);
        assertThat(part.outbox()).hasSize(1);
        assertThat(part.scheduled()).isEmpty();
        assertThat(part.pauses().get(0).type()).doesNotContain("\n").hasSizeLessThan(1_100);
        assertThat(part.looked())
                .last()
                .isEqualTo(
                        new Looked(
                                PartReader.REPLY,
                                0,
                                "3 entries cannot be read by the instance that asked: there are too many, or it may have another version"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{'part':1}", "{'part':{}}", "{'part':{'asOf':'yesterday'}}", "{'part':[]}"})
    void whatIsNoPartIsNone(String answer) {
        assertThat(PartJson.read((ObjectNode) JSON.readTree(answer.replace('\'', '"'))))
                .isNull();
    }

    @Test
    void wrongShapesBreakNothing() {
        ObjectNode answer = (ObjectNode) JSON.readTree("""
                {"part":{"asOf":"2026-03-02T10:41:00Z","sagas":7,"messages":[1,null,[]],"pauses":{"a":1},"troubles":"x","looked":[{"where":1}],
                "correlationIds":[{}],"shared":"maybe","outbox":[{"attempts":-5}],"scheduled":[{"messageId":"m","status":null}]}}""");

        NodeStory part = Objects.requireNonNull(PartJson.read(answer)).part();
        assertThat(part.messages()).isEmpty();
        assertThat(part.looked()).last().extracting(Looked::where).isEqualTo(PartReader.REPLY);
    }

    // ---- size

    private static int size(NodeStory part) {
        return PartWriter.json(new SharedPart(part, true)).toString().getBytes(StandardCharsets.UTF_8).length;
    }

    @Test
    void aPartThatIsTooLargeLosesWhatMattersLeastAndSaysSo() {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            messages.add(message("done-" + i, State.HANDLED, NOW.plusSeconds(i)));
        }
        messages.add(message("waits", State.WAITING, NOW));
        messages.add(message("asked", State.HANDLED, NOW.minusSeconds(1)));

        NodeStory cut = Shortened.of("asked", part(messages, List.of(), List.of()));
        assertThat(size(cut)).isLessThanOrEqualTo(Shortened.ROOM);
        assertThat(cut.messages())
                .extracting(Message::id)
                .contains("waits", "asked", "done-1999")
                .doesNotContain("done-0");
        assertThat(cut.looked())
                .last()
                .isEqualTo(new Looked(
                        "its reply to another node",
                        0,
                        "it has room for 256 KiB. Left out are: %s messages that were handled, the earliest"
                                .formatted(2_002 - cut.messages().size())));
        assertThat(Shortened.of("asked", cut)).isSameAs(cut);
    }

    /** Whatever is large. */
    @Test
    void everythingThatMayBeLargeCanBeCut() throws ReflectiveOperationException {
        NodeStory full = full();
        String long1 = "x".repeat(1_000);
        List<Publication> published = IntStream.range(0, 500)
                .mapToObj(i -> new Publication(long1 + i, "T", true, null))
                .toList();
        List<Message> open = IntStream.range(0, 400)
                .mapToObj(i -> new Message(
                        long1 + i, "c", "T", State.WAITING, 0, null, NOW, List.of(), i == 0 ? published : List.of(), 0))
                .toList();
        NodeStory.Saga one = full.sagas().get(0);
        List<NodeStory.Saga> sagas = IntStream.range(0, 60)
                .mapToObj(i -> new NodeStory.Saga(
                        long1 + i,
                        one.id(),
                        one.status(),
                        NOW,
                        NOW,
                        null,
                        one.steps(),
                        new TreeMap<>(one.timeouts()),
                        List.of(new BlockedOn(long1, long1, "n", "r")),
                        null,
                        one.awaited(),
                        IntStream.range(0, 50)
                                .mapToObj(at -> new SagaView.Event(NOW, long1))
                                .toList()))
                .toList();
        List<NodeStory.Unsent> outbox = IntStream.range(0, 500)
                .mapToObj(i -> new NodeStory.Unsent(long1, "c", "T", 0, NOW.plusSeconds(i), NOW))
                .toList();
        List<NodeStory.Scheduled> scheduled = IntStream.range(0, 500)
                .mapToObj(i -> new NodeStory.Scheduled(long1, ScheduledMessage.Status.WAITING, NOW))
                .toList();
        List<Pause> pauses = IntStream.range(0, 100)
                .mapToObj(i -> new Pause(long1 + i, "OPEN", NOW, null, null, null, null))
                .toList();
        NodeStory part = new NodeStory(
                "n",
                "i",
                NOW,
                "message id",
                List.of("c"),
                List.of(),
                sagas,
                open,
                pauses,
                outbox,
                scheduled,
                List.of(),
                false);

        NodeStory cut = Shortened.of("none", part);
        assertThat(size(cut)).isLessThanOrEqualTo(Shortened.ROOM);
        assertThat(cut.messages()).isNotEmpty();
        assertThat(cut.messages().stream().mapToInt(Message::omitted).sum()).isEqualTo(500);
        assertThat(Objects.requireNonNull(cut.looked().get(0).note()))
                .contains(
                        "names of what messages have published",
                        "events of sagas",
                        "wait in the outbox",
                        "not handled");
    }

    @Test
    void theOnlySagaIsNeverLeftOut() throws ReflectiveOperationException {
        NodeStory.Saga one = full().sagas().get(0);
        List<SagaView.Step> steps = IntStream.range(0, 2_000)
                .mapToObj(i -> new SagaView.Step("s" + i, "x".repeat(200), "T", null, SagaView.StepStatus.SENT))
                .toList();
        NodeStory.Saga huge = new NodeStory.Saga(
                one.saga(),
                one.id(),
                one.status(),
                NOW,
                NOW,
                null,
                steps,
                one.timeouts(),
                one.blockedOn(),
                one.stuckOn(),
                one.awaited(),
                one.history());

        NodeStory cut = Shortened.of("c", part(List.of(), List.of(), List.of(huge)));
        assertThat(size(cut)).isLessThanOrEqualTo(Shortened.ROOM);
        assertThat(cut.sagas()).hasSize(1);
        assertThat(cut.sagas().get(0).steps()).last().isEqualTo(steps.get(1_999));
        assertThat(cut.sagas().get(0).stuckOn()).isEqualTo(one.stuckOn());
    }

    /** A reply of two bytes for each entry. */
    @Test
    void aForgedPartHasBounds() {
        String many = "1,".repeat(100_000) + '1';
        ObjectNode answer = (ObjectNode) JSON.readTree(
                "{'part':{'asOf':'2026-03-02T10:41:00Z','troubles':[%1$s],'sagas':[%1$s],'correlationIds':[%1$s],'looked':[%1$s]}}"
                        .replace('\'', '"')
                        .formatted(many));

        NodeStory part = Objects.requireNonNull(PartJson.read(answer)).part();
        assertThat(part.troubles()).hasSizeLessThan(200);
        assertThat(part.correlationIds()).hasSizeLessThan(200);
        assertThat(part.looked()).hasSizeLessThan(200);
    }

    // ---- one part per node

    private static SharedPart of(String instance, boolean shared, List<Message> messages, List<Pause> pauses) {
        return new SharedPart(part(messages, pauses, List.of()), shared).from("billing", instance);
    }

    private static final SharedPart OWN =
            new SharedPart(part(List.of(), List.of(), List.of()), true).from("shop", "s-1");
    private static final Message ONE = message("m-1", State.WAITING, NOW);
    private static final Message TWO = message("m-2", State.WAITING, NOW);
    private static final Pause PAUSE = new Pause("Capture", "OPEN", NOW, null, null, null, null);

    @Test
    void ofInstancesThatShareAStoreTheFullestTellsForAll() {
        List<NodeStory> kept = OnePerNode.of(
                OWN,
                List.of(
                        of("b-1", true, List.of(ONE), List.of()),
                        of("b-2", true, List.of(ONE, TWO), List.of()),
                        of("b-3", true, List.of(ONE), List.of(PAUSE))));

        assertThat(kept).extracting(NodeStory::instance).containsExactly("s-1", "b-2", "b-3");
        assertThat(kept.get(1).messages()).hasSize(2);
        assertThat(kept.get(2).messages()).isEmpty();
        assertThat(kept.get(2).pauses()).containsExactly(PAUSE);
    }

    @Test
    void instancesWithStoresOfTheirOwnTellForThemselves() {
        List<NodeStory> kept = OnePerNode.of(
                OWN,
                List.of(
                        of("b-1", false, List.of(ONE), List.of()),
                        of("b-2", false, List.of(), List.of()),
                        of("b-3", false, List.of(TWO), List.of())));

        assertThat(kept).extracting(NodeStory::instance).containsExactly("s-1", "b-1", "b-3");
    }

    @Test
    void aNodeThatKnowsNothingHasOnePart() {
        assertThat(OnePerNode.of(
                        OWN, List.of(of("b-2", true, List.of(), List.of()), of("b-1", true, List.of(), List.of()))))
                .extracting(NodeStory::instance)
                .containsExactly("s-1", "b-1");
    }

    /** Otherwise a node whose store is away would be said to know nothing. */
    @Test
    void whatANodeCouldNotLookAtStays() {
        Looked away = new Looked("records", 0, "not looked at: its own node says why");
        NodeStory part = new NodeStory(
                "",
                "",
                NOW,
                null,
                List.of(),
                List.of("the store does not answer"),
                List.of(),
                List.of(),
                List.of(PAUSE),
                List.of(),
                List.of(),
                List.of(away),
                false);

        for (boolean shared : new boolean[] {true, false}) {
            List<NodeStory> kept = OnePerNode.of(
                    OWN,
                    List.of(
                            new SharedPart(part, shared).from("billing", "b-1"),
                            new SharedPart(part, shared).from("billing", "b-2")));
            assertThat(kept).hasSize(3);
            assertThat(kept.get(1).looked()).containsExactly(away);
            assertThat(kept.get(2).looked()).hasSize(shared ? 0 : 1);
        }
    }

    @Test
    void theOwnPartStaysAndTellsForItsNode() {
        SharedPart own = of("b-1", true, List.of(ONE), List.of());

        assertThat(OnePerNode.of(own, List.of(of("b-2", true, List.of(ONE, TWO), List.of()))))
                .containsExactly(own.part());
        SharedPart away = of("b-1", true, List.of(), List.of());
        assertThat(OnePerNode.of(away, List.of(of("b-2", true, List.of(ONE), List.of()))))
                .extracting(NodeStory::instance)
                .containsExactly("b-1", "b-2");
    }
}
