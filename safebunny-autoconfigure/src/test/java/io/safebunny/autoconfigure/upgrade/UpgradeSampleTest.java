// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessages;
import io.safebunny.Upcast;
import io.safebunny.actuate.BodyMasker;
import io.safebunny.bodies.BodyStore;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonList;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.test.bodies.MemoryBodyStore;
import io.safebunny.test.encryption.MemoryKeys;
import io.safebunny.time.SystemTimeline;
import io.safebunny.upgrade.UpgradeSample;
import io.safebunny.upgrade.UpgradeSample.LeftOut;
import io.safebunny.upgrade.UpgradeSample.Message;
import io.safebunny.upgrade.UpgradeSamples;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.node.ObjectNode;

/** What is in a sample, from where, and what is left out of it and named. */
class UpgradeSampleTest {

    private static final ApplicationContextRunner NODE = new ApplicationContextRunner()
            .withUserConfiguration(Application.class)
            .withPropertyValues("safebunny.node=shop", "safebunny.transport=memory", "safebunny.store.type=memory");

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @BunnyMessage(value = "StockChanged", version = 2)
    record StockChanged(String article, int left, Map<String, String> notes) {

        @Upcast(from = 1)
        static ObjectNode renamed(ObjectNode body) {
            body.set("left", body.remove("amount"));
            body.putObject("notes");
            return body;
        }
    }

    @BunnyMessage("StockChanged")
    record OldStockChanged(String article, int amount) {}

    static class Stock {
        @BunnyHandler(from = "shop")
        void on(StockChanged change) {
            throw new PoisonMessageException("closed");
        }
    }

    static class OrderedStock {
        @BunnyHandler(from = "shop", ordered = true)
        void on(StockChanged change) {
            throw new PoisonMessageException("closed");
        }
    }

    @Encrypted(key = "orders")
    record CardCharged(String pan) {}

    record Whisper(String text) {}

    static class Charging {
        @BunnyHandler(from = "shop")
        void on(CardCharged card) {
            throw new PoisonMessageException("closed");
        }
    }

    @BunnySaga
    @Encrypted(key = "orders")
    static class Secretive {
        record Heard(String text) {}

        @Starts
        @BunnyHandler(from = "shop")
        Heard on(Whisper whisper) {
            return new Heard(whisper.text());
        }
    }

    record Begin(String order) {}

    record Command(String order) {}

    record Undo(String order) {}

    @BunnySaga
    static class Steps {
        record State(String order) {}

        @Starts
        @BunnyHandler(from = "shop")
        State on(Begin begin, SagaContext saga) {
            saga.step("first", new Command(begin.order()), new Undo(begin.order()));
            saga.timeout("late", Duration.ofDays(1));
            return new State(begin.order());
        }

        @OnTimeout("late")
        void late(State state) {}
    }

    static class Commands {
        @BunnyHandler(from = "shop")
        void on(Command command) {
            throw new PoisonMessageException("closed");
        }

        @BunnyHandler(from = "shop")
        void on(Undo undo) {}
    }

    private static UpgradeSample sample(ApplicationContext context, int most, BodyMasker masker) {
        UpgradeSample sample =
                context.getBean(SafeBunnyEngine.class).get(UpgradeSamples.class).take(most, masker);
        assertThat(UpgradeSample.read(sample.toJson())).isEqualTo(sample);
        return sample;
    }

    private static void awaitPoison(ApplicationContext context, int copies) {
        await().untilAsserted(() -> assertThat(context.getBean(PoisonMessages.class)
                        .list(PoisonFilter.all())
                        .depth())
                .isEqualTo(copies));
    }

    private static StockChanged change(int left) {
        return new StockChanged("tea", left, Map.of("Ann", "the green one"));
    }

    @Test
    void isBoundedAndTakesNothingAway() {
        NODE.withBean(Stock.class).run(context -> {
            Bunny bunny = context.getBean(Bunny.class);
            for (int i = 0; i < 30; i++) {
                bunny.publish(change(i));
            }
            awaitPoison(context, 30);

            UpgradeSample sample = sample(context, 3, BodyMasker.none());

            assertThat(sample.messages()).hasSize(3).allSatisfy(message -> {
                assertThat(message.source()).isEqualTo("poison queue");
                assertThat(message.version()).isEqualTo(2);
                assertThat(message.body().path("notes").toString()).isEqualTo("{\"Xxx\":\"xxx xxxxx xxx\"}");
            });
            assertThat(sample.leftOut())
                    .contains(new LeftOut(
                            "StockChanged", "has more messages than the 3 of each version that are taken", 27));
            PoisonList after = context.getBean(PoisonMessages.class).list(PoisonFilter.all());
            assertThat(after.depth()).isEqualTo(30);
        });
    }

    @Test
    void showsABodyOfAnEarlierVersionAsItIs() {
        NODE.withBean(Stock.class).run(context -> {
            context.getBean(Bunny.class).publish(new OldStockChanged("tea", 12));
            awaitPoison(context, 1);

            assertThat(sample(context, 3, BodyMasker.none()).messages())
                    .singleElement()
                    .satisfies(message -> {
                        assertThat(message.version()).isEqualTo(1);
                        assertThat(message.body().toString()).isEqualTo("{\"article\":\"xxx\",\"amount\":11}");
                    });
        });
    }

    @Test
    void findsWhatWaitsForAnOrderKey() {
        NODE.withBean(OrderedStock.class).run(context -> {
            Bunny bunny = context.getBean(Bunny.class);
            for (int i = 0; i < 6; i++) {
                bunny.publish(
                        change(i), PublishOptions.none().withOrderKey("tea").withCorrelationId("ann-7"));
            }
            awaitPoison(context, 1);
            await().untilAsserted(() -> assertThat(
                            sample(context, 20, BodyMasker.none()).messages())
                    .extracting(Message::source)
                    .containsExactly("poison queue", "order key", "order key", "order key"));

            UpgradeSample sample = sample(context, 20, BodyMasker.none());

            assertThat(sample.messages())
                    .extracting(Message::correlation)
                    .containsOnly(sample.messages().get(0).correlation());
            assertThat(sample.leftOut()).contains(new LeftOut("order key", "has more messages than the first 3", 2));
            assertThat(sample.toJson()).doesNotContain("ann-7");
        });
    }

    @Test
    void findsWhatIsScheduled() {
        NODE.withBean(Stock.class)
                .withPropertyValues("safebunny.scheduling.enabled=true")
                .run(context -> {
                    context.getBean(ScheduledMessages.class)
                            .schedule(change(7), PublishOptions.none().withDelay(Duration.ofDays(3)));

                    await().untilAsserted(() -> assertThat(
                                    sample(context, 20, BodyMasker.none()).messages())
                            .extracting(Message::source)
                            .containsExactly("scheduled"));
                });
    }

    @Test
    void findsMoreThanAPageOfThem() {
        NODE.withBean(Stock.class)
                .withPropertyValues("safebunny.scheduling.enabled=true")
                .run(context -> {
                    for (int i = 0; i < 25; i++) {
                        context.getBean(ScheduledMessages.class)
                                .schedule(change(i), PublishOptions.none().withDelay(Duration.ofDays(3)));
                    }

                    await().untilAsserted(() -> assertThat(
                                    sample(context, 50, BodyMasker.none()).messages())
                            .hasSize(25));
                });
    }

    @Test
    void refusesASecondOneMeanwhile() {
        NODE.withBean(Stock.class).run(context -> {
            context.getBean(Bunny.class).publish(change(7));
            awaitPoison(context, 1);
            List<String> refusals = new ArrayList<>();

            UpgradeSample first = sample(context, 3, (message, body) -> {
                CompletableFuture.supplyAsync(() -> sample(context, 3, BodyMasker.none()))
                        .handle((unused, failure) -> refusals.add(String.valueOf(failure)))
                        .join();
                return new String(body, StandardCharsets.UTF_8);
            });

            assertThat(first.messages()).hasSize(1);
            assertThat(refusals).isNotEmpty().allMatch(one -> one.contains("SB-5016"));
            assertThat(sample(context, 3, BodyMasker.none()).messages()).hasSize(1);
        });
    }

    @Test
    void findsStatesTimeoutsAndStepsOfSagasUnderOneMaskedId() {
        NODE.withBean(Steps.class).withBean(Commands.class).run(context -> {
            context.getBean(Bunny.class)
                    .publish(new Begin("o-7"), PublishOptions.none().withCorrelationId("ann-7"));
            awaitPoison(context, 1);

            UpgradeSample sample = sample(context, 20, BodyMasker.none());

            assertThat(sample.sagas()).singleElement().satisfies(saga -> {
                assertThat(saga.pending()).isEqualTo(Map.of("late", 1));
                assertThat(saga.steps()).isEqualTo(Map.of("Command", 1));
                assertThat(saga.areAll()).isTrue();
            });
            assertThat(sample.states())
                    .singleElement()
                    .satisfies(state -> assertThat(state.state().toString()).isEqualTo("{\"order\":\"x-1\"}"));
            assertThat(sample.messages())
                    .extracting(Message::type, Message::source)
                    .containsExactly(tuple("Command", "poison queue"), tuple("Undo", "step of a saga"));
            assertThat(sample.messages())
                    .extracting(Message::correlation)
                    .containsOnly(sample.states().get(0).id());
            assertThat(sample.toJson()).doesNotContain("ann-7", "o-7");
        });
    }

    @Test
    void leavesOutWhatIsEncryptedAndSaysSo() {
        NODE.withBean(Charging.class)
                .withBean(Secretive.class)
                .withBean(KeyProvider.class, () -> MemoryKeys.of("orders"))
                .run(context -> {
                    context.getBean(Bunny.class).publish(new CardCharged("4111"));
                    context.getBean(Bunny.class).publish(new Whisper("hush"));
                    awaitPoison(context, 1);
                    await().untilAsserted(() -> assertThat(
                                    context.getBean(Sagas.class).list(null, SagaStatus.ACTIVE, Duration.ZERO, 10))
                            .hasSize(1));

                    UpgradeSample sample = sample(context, 20, BodyMasker.none());

                    assertThat(sample.messages()).isEmpty();
                    assertThat(sample.states()).isEmpty();
                    assertThat(sample.leftOut())
                            .contains(
                                    new LeftOut(
                                            "CardCharged",
                                            "is encrypted, and stays so, also what is about erased persons",
                                            1),
                                    new LeftOut(
                                            "Secretive",
                                            "has an encrypted state, which stays so, also what is about erased persons",
                                            1));
                });
    }

    @Test
    void leavesOutWhatTheApplicationsMaskerDoesNotShow() {
        NODE.withBean(Stock.class).run(context -> {
            context.getBean(Bunny.class).publish(change(7));
            awaitPoison(context, 1);

            UpgradeSample sample = sample(context, 20, (message, body) -> "not shown: a secret");

            assertThat(sample.messages()).isEmpty();
            assertThat(sample.leftOut()).contains(new LeftOut("StockChanged", "is not shown by the BodyMasker", 1));
        });
    }

    @BunnyMessage(format = "cbor")
    record Measured(String sensor, double value) {}

    static class Measuring {
        @BunnyHandler(from = "shop")
        void on(Measured measured) {
            throw new PoisonMessageException("closed");
        }
    }

    @Test
    void showsABodyOfAnotherFormatAsJson() {
        NODE.withBean(Measuring.class).run(context -> {
            context.getBean(Bunny.class).publish(new Measured("north", 20.5));
            awaitPoison(context, 1);

            assertThat(sample(context, 20, BodyMasker.none()).messages())
                    .singleElement()
                    .satisfies(message ->
                            assertThat(message.body().toString()).isEqualTo("{\"sensor\":\"xxxxx\",\"value\":11.1}"));
        });
    }

    @Test
    void fetchesABodyThatIsKeptElsewhere() {
        NODE.withBean(OrderedStock.class)
                .withBean(BodyStore.class, () -> new MemoryBodyStore(new SystemTimeline("bodies")))
                .withPropertyValues("safebunny.claim-check.above=1KB")
                .run(context -> {
                    for (int i = 0; i < 2; i++) {
                        context.getBean(Bunny.class)
                                .publish(
                                        new StockChanged("t".repeat(3_000), i, Map.of()),
                                        PublishOptions.none().withOrderKey("tea"));
                    }
                    awaitPoison(context, 1);

                    await().untilAsserted(() -> assertThat(
                                    sample(context, 20, BodyMasker.none()).messages())
                            .extracting(Message::source, message -> message.body()
                                    .path("article")
                                    .asString("")
                                    .length())
                            .containsExactly(tuple("poison queue", 3_000), tuple("order key", 3_000)));
                });
    }

    @Test
    void leavesOutLargeBodies() {
        NODE.withBean(Stock.class).run(context -> {
            context.getBean(Bunny.class).publish(new StockChanged("t".repeat(70_000), 7, Map.of()));
            awaitPoison(context, 1);

            assertThat(sample(context, 20, BodyMasker.none()).leftOut())
                    .contains(new LeftOut("StockChanged", "has a body of more than 65536 bytes", 1));
        });
    }

    @Test
    void hasATypeThatIsOnlyPublished() {
        NODE.withBean(Steps.class).withBean(Commands.class).run(context -> {
            context.getBean(Bunny.class).publish(new Begin("o-7"));
            awaitPoison(context, 1);

            UpgradeSample sample = sample(context, 20, BodyMasker.none());

            assertThat(sample.handled())
                    .extracting(UpgradeSample.Type::type)
                    .containsExactlyInAnyOrder("Begin", "Command", "Undo");
            assertThat(sample.published())
                    .extracting(UpgradeSample.Type::type)
                    .containsExactlyInAnyOrder("Begin", "Command", "Undo");
            assertThat(sample.published()).extracting(UpgradeSample.Type::from).containsOnly(List.of());
        });
    }
}
