// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.Sagas;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.Story;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Random sagas under chaos, stopped at random moments: each sentence of each story, taken apart, is what was observed from outside, and all
 * of it is told.
 */
@Tag("once")
class StoriesAreTrueTest {

    private static final int SAGAS = Integer.getInteger("safebunny.stories", 1_000);
    private static final int EACH = 20;
    private static final int MOMENTS = 4;
    private static final Duration MARKED = Duration.ofSeconds(2);
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static final List<String> TYPES = List.of(
            "orders Reserved",
            "orders Captured",
            "orders Declined",
            "orders CarBooked",
            "orders HotelBooked",
            "orders BunnyTimeout",
            "orders BunnyUndone",
            "parcels Packed",
            "parcels Delivered",
            "parcels BunnyTimeout",
            "stock Reserve",
            "stock Release",
            "stock BookCar",
            "billing Capture",
            "billing Refund",
            "billing BookHotel",
            "billing Pong");

    @TestFactory
    Stream<DynamicTest> everySentenceIsTrueAndNothingIsLeftOut() {
        int worlds = (SAGAS + EACH - 1) / EACH;
        long first = Long.getLong("safebunny.test.seed", 1);
        return Stream.iterate(first, seed -> seed + 1)
                .limit(worlds)
                .map(seed -> DynamicTest.dynamicTest("-Dsafebunny.test.seed=" + seed, () -> new Chaos(seed).run()));
    }

    @Test
    void aSentenceThatNobodyKnowsIsNotTakenForTrue() {
        assertThat(Fact.told(List.of("orders has handled one message of it: `Packed`."), NOW))
                .containsExactly(Fact.of("counted", "node", "orders", "count", "one", "types", "[Packed]"));
        assertThatThrownBy(() -> Fact.told(List.of("orders has lost one message of it."), NOW))
                .hasMessageContaining("No story has such a sentence");
    }

    /** What came of each of those is known only from the time at which it was handled. */
    private static boolean isOfOwn(Fact fact) {
        return fact.values().toString().matches(".*Bunny(Timeout|Repair).*")
                && fact.shape().matches("counted|published|message:handled(By)?");
    }

    /** Nodes with some sagas each. */
    private static final class Chaos {
        private final long seed;
        private final Random random;
        private final Shop shop;
        private final List<String> ids = new ArrayList<>();

        Chaos(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.shop = new Shop(seed);
        }

        void run() {
            shop.inHandler(() -> ask(id(), true));
            for (int i = 0; i < EACH; i++) {
                ids.add("id-%s-%s".formatted(seed, i));
            }
            for (String id : ids) {
                start(id);
                disturb();
                pass(random.nextInt(10));
            }
            for (int moment = 0; moment < MOMENTS; moment++) {
                pass(random.nextInt(moment == MOMENTS - 1 ? 1_000 : 90));
                askAll(moment);
                disturb();
                repair();
            }
            assertThat(shop.observed.broken).isEmpty();
        }

        private String id() {
            return ids.get(random.nextInt(ids.size()));
        }

        private void pass(int seconds) {
            shop.world.pass(Duration.ofMillis(seconds * 1_000L + random.nextInt(1_000)));
        }

        private void start(String id) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> shop.publish(new Shop.PlaceOrder(id), id);
                case 3, 4 -> shop.publish(new Shop.BookTour(id), id);
                case 5, 6 -> parcel(id);
                default -> shop.publish(new Shop.Ping(id), id);
            }
        }

        private void parcel(String id) {
            List<Object> messages = new ArrayList<>(List.of(new Shop.Ordered(id)));
            if (random.nextBoolean()) {
                messages.add(random.nextInt(messages.size() + 1), new Shop.Packed(id));
            }
            if (random.nextBoolean()) {
                messages.add(random.nextInt(messages.size() + 1), new Shop.Shipped(id));
            }
            if (random.nextInt(3) == 0) {
                messages.add(random.nextInt(messages.size() + 1), new Shop.Delivered(id));
            }
            for (Object message : messages) {
                shop.publish(message, id);
                pass(random.nextInt(8));
            }
        }

        private void disturb() {
            if (random.nextInt(3) == 0) {
                String which = TYPES.get(random.nextInt(TYPES.size()));
                int space = which.indexOf(' ');
                shop.pause(
                        which.substring(0, space),
                        which.substring(space + 1),
                        Duration.ofSeconds(5 + random.nextInt(400)));
            }
        }

        private void repair() {
            List.copyOf(shop.observed.sagas.values()).forEach(saga -> {
                if (saga.status.needsRepair() && random.nextInt(4) == 0) {
                    repair(saga);
                } else if (saga.status == SagaStatus.ACTIVE && random.nextInt(12) == 0) {
                    skipLatest(saga);
                }
            });
        }

        private Sagas sagas(Seen.Saga saga) {
            return shop.world.engine(saga.node).get(Sagas.class);
        }

        private void repair(Seen.Saga saga) {
            Seen.Step undoing = saga.undoing();
            if (undoing != null) {
                sagas(saga).skip(saga.name, saga.id, undoing.name, "by hand");
            } else if (random.nextBoolean()) {
                sagas(saga).resume(saga.name, saga.id, "mended");
            } else {
                sagas(saga).fail(saga.name, saga.id, "given up");
            }
            shop.world.settle();
        }

        private void skipLatest(Seen.Saga saga) {
            saga.steps.values().stream()
                    .filter(step -> step.status == StepStatus.SENT)
                    .reduce((one, later) -> later)
                    .ifPresent(step -> {
                        sagas(saga).skip(saga.name, saga.id, step.name, "not wanted");
                        shop.world.settle();
                    });
        }

        // ---- asking

        private void askAll(int moment) {
            boolean last = moment == MOMENTS - 1;
            ids.stream().filter(id -> last || random.nextInt(3) == 0).toList().forEach(id -> ask(id, false));
            shop.observed.messages.values().stream()
                    .flatMap(messages -> messages.values().stream())
                    .filter(message -> random.nextInt(25) == 0 && !isBeingMarked(message))
                    .toList()
                    .forEach(this::ask);
            away(id());
        }

        private void ask(String id, boolean inHandler) {
            List<NodeStory> parts = new ArrayList<>();
            for (String node : Shop.NODES) {
                parts.add(part(node, id));
                compare(story(node, id), id, List.of(node), inHandler);
            }
            compare(Telling.of(id, shop.observed.now(), parts), id, Shop.NODES, inHandler);
        }

        private NodeStory part(String node, String id) {
            return shop.world.engine(node).get(StoryTeller.class).own(id);
        }

        private Story story(String node, String id) {
            return Telling.of(id, shop.observed.now(), List.of(part(node, id)));
        }

        /** What it has published is confirmed, and its record is about to say so. */
        private boolean isBeingMarked(Seen.Message message) {
            return message.state == State.HANDLED
                    && !message.changedAt.plus(MARKED).isBefore(shop.observed.now());
        }

        private void ask(Seen.Message message) {
            compare(story(message.node, message.id), message.correlationId, List.of(message.node), false);
            List<NodeStory> parts = Shop.NODES.stream()
                    .map(node -> part(node, message.correlationId))
                    .toList();
            compare(Telling.of(message.id, shop.observed.now(), parts), message.correlationId, Shop.NODES, false);
        }

        /** @param inHandler what breakers have just told may not have been heard yet */
        private void compare(Story story, String correlationId, List<String> nodes, boolean inHandler) {
            Expected expected =
                    new Expected(shop.observed, correlationId, story.id(), nodes, shop::instance, Shop.UNROUTABLE);
            List<Fact> told = Fact.told(story.sentences(), shop.observed.now());
            told.forEach(this::forgiveMarks);
            List<Fact> expectedFacts = expected.isKnown() ? expected.facts() : List.of();
            if (expected.isKnown()) {
                if (shop.observed.isCrowded(correlationId) && !story.id().equals(correlationId)) {
                    told.removeIf(StoriesAreTrueTest::isOfOwn);
                    expectedFacts.removeIf(StoriesAreTrueTest::isOfOwn);
                }
                assertThat(sorted(told, inHandler))
                        .as(
                                "%s of %s at %s:\n%s",
                                story.id(), correlationId, nodes, String.join("\n", story.sentences()))
                        .isEqualTo(sorted(expectedFacts, inHandler));
            } else {
                assertThat(told)
                        .extracting(Fact::shape)
                        .contains("unknown", "elsewhere")
                        .doesNotContain("notFoundOut");
            }
        }

        /** A message that has published something is marked as handled a moment later, in a batch; the story says "by". */
        private void forgiveMarks(Fact fact) {
            if (fact.shape().equals("message:handledBy")) {
                Seen.Message message = shop
                        .observed
                        .at(String.valueOf(fact.values().get("node")))
                        .values()
                        .stream()
                        .filter(one -> one.name().equals(fact.values().get("message")))
                        .findFirst()
                        .orElseThrow();
                Instant said = Instant.parse(String.valueOf(fact.values().get("at")));
                Instant seen = message.changedAt.truncatedTo(ChronoUnit.SECONDS);
                if (!said.isBefore(seen) && !said.isAfter(seen.plus(MARKED))) {
                    fact.values().put("at", Fact.at(seen));
                }
            }
        }

        private static List<Fact> sorted(List<Fact> facts, boolean withoutPauses) {
            return facts.stream()
                    .filter(fact -> !withoutPauses || !fact.shape().matches("pause|notPaused|typePaused|typeNotPaused"))
                    .sorted(Comparator.comparing(Fact::toString))
                    .toList();
        }

        /** A store that is away is no reason to say that nothing is known, or that all is known. */
        private void away(String id) {
            for (String node : Shop.NODES) {
                Shop.Away store = Objects.requireNonNull(shop.stores.get(node));
                Expected expected = new Expected(shop.observed, id, id, List.of(node), shop::instance, Shop.UNROUTABLE);
                store.isAway = true;
                assertThat(Fact.told(story(node, id).sentences(), shop.observed.now()))
                        .extracting(Fact::shape)
                        .contains("notFoundOut")
                        .doesNotContain("unknown", "elsewhere");
                store.isAway = false;
                if (expected.isKnown() && (node.equals("orders") || node.equals("parcels"))) {
                    store.isAwayForSagas = true;
                    assertThat(Fact.told(story(node, id).sentences(), shop.observed.now()))
                            .extracting(Fact::shape)
                            .contains("notLooked", "trouble")
                            .noneMatch(shape -> shape.startsWith("saga:"));
                    store.isAwayForSagas = false;
                    assertThat(Fact.told(story(node, id).sentences(), shop.observed.now()))
                            .extracting(Fact::shape)
                            .doesNotContain("notLooked");
                    var unused = shop.world.engine(node).get(Sagas.class).find(id); // answers
                }
            }
        }
    }
}
