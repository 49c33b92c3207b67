// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.actuate.BodyMasker;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Sagas;
import io.safebunny.test.upgrade.UpgradeCheck;
import io.safebunny.test.upgrade.UpgradeFinding;
import io.safebunny.test.upgrade.UpgradeFinding.Kind;
import io.safebunny.test.upgrade.UpgradeReport;
import io.safebunny.upgrade.UpgradeSamples;
import jakarta.validation.Validation;
import jakarta.validation.Validator;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Changes between two versions of an application: those that break what is stored are found, and no others. */
class UpgradeCheckTest {

    private static final List<Class<?>> BEANS = List.of(
            Before.Orders.class,
            Before.Stock.class,
            Before.Mails.class,
            Before.Packing.class,
            Before.Shipping.class,
            Before.Refunding.class);

    @TempDir
    static Path folder;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    private static ApplicationContextRunner node(List<Class<?>> beans) {
        ApplicationContextRunner node = new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withBean(Validator.class, () -> Validation.byDefaultProvider()
                        .configure()
                        .messageInterpolator(new ParameterMessageInterpolator())
                        .buildValidatorFactory()
                        .getValidator())
                .withPropertyValues("safebunny.node=shop", "safebunny.transport=memory", "safebunny.store.type=memory");
        for (Class<?> bean : beans) {
            node = node.withBean(bean);
        }
        return node;
    }

    static Before.OrderPlaced order(Before.Status status, @Nullable String note) {
        return new Before.OrderPlaced(
                "o-4711",
                1999,
                status,
                Instant.parse("2026-03-01T10:00:00.5Z"),
                UUID.fromString("3cd60d04-a7c4-4653-bce0-9d3a76cd512c"),
                "ann@example.org",
                7,
                new Before.Address("Main Street 1", "Leeds"),
                List.of(new Before.Card("4111", 3), new Before.Cash(new BigDecimal("20.50"))),
                Map.of("green tea", 2),
                note);
    }

    /** As the running version has it, with messages that were set aside, and sagas that wait. */
    @BeforeAll
    static void takeTheSample() {
        node(BEANS).run(context -> {
            Bunny bunny = context.getBean(Bunny.class);
            bunny.publish(order(Before.Status.ORDERED, null));
            bunny.publish(order(Before.Status.PAID, "in the evening"));
            bunny.publish(new Before.StockChanged("tea", 12));
            bunny.publish(new Before.MailSent("ann@example.org", Instant.now().plus(Duration.ofDays(99))));
            bunny.publish(new Before.ShipOrder("o-4711"), PublishOptions.none().withCorrelationId("order-4711"));
            bunny.publish(new Before.GiveBack("o-4712"), PublishOptions.none().withCorrelationId("order-4712"));
            await().untilAsserted(() -> {
                assertThat(context.getBean(PoisonMessages.class)
                                .list(PoisonFilter.all())
                                .messages())
                        .hasSize(4);
                assertThat(context.getBean(Sagas.class).list(null, SagaStatus.ACTIVE, Duration.ZERO, 10))
                        .hasSize(2);
            });
            Files.writeString(folder.resolve("sample.json"), sampleOf(context));
        });
    }

    static String sampleOf(ApplicationContext context) {
        return context.getBean(SafeBunnyEngine.class)
                .get(UpgradeSamples.class)
                .take(UpgradeSamples.DEFAULT, BodyMasker.none())
                .toJson();
    }

    private static UpgradeReport report(List<Class<?>> beans, UnaryOperator<UpgradeCheck> check) {
        List<UpgradeReport> reports = new ArrayList<>();
        node(beans)
                .run(context -> reports.add(check.apply(UpgradeCheck.of(folder.resolve("sample.json")))
                        .in(context)));
        return reports.get(0);
    }

    private static List<Class<?>> with(Class<?> before, Class<?>... after) {
        List<Class<?>> beans = new ArrayList<>(BEANS);
        beans.remove(before);
        beans.addAll(List.of(after));
        return beans;
    }

    @Test
    void hasNothingToSayOfTheSameVersion() {
        UpgradeReport report = report(BEANS, check -> check);

        assertThat(report).hasNoFindings();
        assertThat(report.unchecked())
                .contains(
                        "queues are not looked at, because that would consume messages.", "What is not in the sample.");
        assertThat(report.toString()).contains("5 messages and 2 states of sagas. 0 findings.");
    }

    @Test
    void hasNothingToSayOfANewPropertyThatMayBeMissing() {
        assertThat(report(with(Before.Orders.class, After.WithOneMore.class), check -> check))
                .hasNoFindings();
    }

    /** @param after {@code null} if the bean is gone */
    record Change(Class<?> before, @Nullable Class<?> after, Kind kind, String subject) {}

    static Stream<Change> breakingChanges() {
        return Stream.of(
                new Change(Before.Stock.class, After.WithRequired.class, Kind.UNREADABLE_BODY, "StockChanged"),
                new Change(Before.Mails.class, After.WithOtherType.class, Kind.UNREADABLE_BODY, "MailSent"),
                new Change(Before.Orders.class, After.WithoutConstant.class, Kind.UNREADABLE_BODY, "OrderPlaced"),
                new Change(Before.Orders.class, After.WithoutSubclass.class, Kind.UNREADABLE_BODY, "OrderPlaced"),
                new Change(
                        Before.Orders.class, After.WithRenamed.class, Kind.LOST_PROPERTY, "OrderPlaced.address.city"),
                new Change(Before.Mails.class, After.WithConstraint.class, Kind.INVALID_BODY, "MailSent"),
                new Change(Before.Mails.class, null, Kind.UNHANDLED_TYPE, "MailSent"),
                new Change(Before.Stock.class, After.WithLowerVersion.class, Kind.LOWER_VERSION, "StockChanged"),
                new Change(Before.Stock.class, After.WithFailingUpcaster.class, Kind.FAILING_UPCASTER, "StockChanged"),
                new Change(Before.Shipping.class, After.ShippingOfWords.class, Kind.UNREADABLE_STATE, "Shipping"),
                new Change(Before.Shipping.class, After.ShippingWithHole.class, Kind.MISSING_UPGRADE, "Shipping"),
                new Change(
                        Before.Shipping.class,
                        After.ShippingWithFailingUpgrade.class,
                        Kind.FAILING_UPGRADE,
                        "Shipping"),
                new Change(Before.Shipping.class, After.ShippingOfLowerVersion.class, Kind.LOWER_VERSION, "Shipping"),
                new Change(
                        Before.Shipping.class,
                        After.ShippingWithoutTimeout.class,
                        Kind.MISSING_TIMEOUT,
                        "Shipping.late"),
                new Change(
                        Before.Shipping.class,
                        After.ShippingWithoutAnswer.class,
                        Kind.MISSING_ANSWER,
                        "Shipping.Shipped"),
                new Change(Before.Refunding.class, null, Kind.MISSING_SAGA, "Refunding"),
                new Change(
                        Before.Refunding.class, After.RefundingWithRenamed.class, Kind.UNREADABLE_STATE, "Refunding"));
    }

    @ParameterizedTest
    @MethodSource("breakingChanges")
    void findsWhatBreaks(Change change) {
        Class<?>[] after = change.after() == null ? new Class<?>[0] : new Class<?>[] {change.after()};

        UpgradeReport report = report(with(change.before(), after), check -> check);

        assertThat(report).finds(change.kind(), change.subject());
        assertThat(report.findings())
                .as(report.toString())
                .extracting(UpgradeFinding::subject)
                .allMatch(subject -> subject.startsWith(change.subject().split("\\.", 2)[0])
                        || subject.equals("ShipOrder")
                        || subject.equals("Shipped")
                        || subject.equals("GiveBack"));
        assertThat(report.findings())
                .allSatisfy(finding -> assertThat(finding.action()).isNotBlank());
    }

    @Test
    void findsTheHoleOfAClassThatIsOnlyPublished() {
        assertThat(report(with(Before.Packing.class), check -> check.publishing(After.PackWithHole.class)))
                .finds(Kind.MISSING_UPCASTER, "Pack");
    }

    @Test
    void findsWhatTheOldVersionWouldMiss() {
        assertThat(report(with(Before.Packing.class), check -> check.publishing(After.PackWithLess.class)))
                .finds(Kind.UNREADABLE_FOR_OLD, "Pack.parcel");
        assertThat(report(with(Before.Orders.class, After.WithRenamed.class), check -> check))
                .finds(Kind.UNREADABLE_FOR_OLD, "OrderPlaced.address.city");
        assertThat(report(with(Before.Orders.class, After.WithRenamedConstant.class), check -> check))
                .finds(Kind.UNREADABLE_FOR_OLD, "OrderPlaced.status")
                .finds(Kind.UNREADABLE_FOR_OLD, "OrderPlaced.cents");
    }

    @Test
    void findsNoFaultWithANewVersionForWhichTheOldOneWaits() {
        UpgradeReport report =
                report(with(Before.Packing.class), check -> check.publishing(After.PackOfNextVersion.class));

        assertThat(report.findings()).extracting(UpgradeFinding::kind).containsOnly(Kind.UNHANDLED_TYPE);
    }

    @Test
    void acceptsWhatIsMeantAndSaysSo() {
        UpgradeReport report =
                report(with(Before.Mails.class), check -> check.accepting(Kind.UNHANDLED_TYPE, "MailSent")
                        .accepting(Kind.LOST_PROPERTY, "Nothing"));

        assertThat(report).hasNoFindings();
        assertThat(report.unchecked())
                .anyMatch(one -> one.startsWith("Accepted: UNHANDLED_TYPE MailSent: "))
                .contains("Accepted, but not found: LOST_PROPERTY Nothing.");
    }

    @Test
    void acceptsOnlyTheKindThatIsMeant() {
        UpgradeReport report =
                report(with(Before.Mails.class), check -> check.accepting(Kind.INVALID_BODY, "MailSent"));

        assertThat(report).finds(Kind.UNHANDLED_TYPE, "MailSent");
    }

    /** What a node has stored that has handled all of it. */
    private static UpgradeReport ofEmpty(UnaryOperator<UpgradeCheck> check) {
        Path empty = folder.resolve("empty.json");
        List<UpgradeReport> reports = new ArrayList<>();
        node(BEANS).run(context -> Files.writeString(empty, sampleOf(context)));
        node(BEANS)
                .run(context -> reports.add(check.apply(UpgradeCheck.of(empty)).in(context)));
        return reports.get(0);
    }

    @Test
    void isNotGreenWhereNothingWasRead() {
        assertThat(ofEmpty(check -> check)).finds(Kind.NOTHING_CHECKED, "shop");
        assertThat(ofEmpty(check -> check.accepting(Kind.NOTHING_CHECKED, "shop")))
                .hasNoFindings();
    }

    @Test
    void hasNothingToSayOfWhatAnUpcasterLeavesThatWasUnreadBefore() {
        Path earlier = folder.resolve("earlier.json");
        List<UpgradeReport> reports = new ArrayList<>();
        node(List.of(Earlier.People.class)).run(context -> {
            Bunny bunny = context.getBean(Bunny.class);
            bunny.publish(new Earlier.OldPersonMoved("Ann", "Smith", new Earlier.Home("Main Street 1", "Leeds")));
            await().untilAsserted(() -> assertThat(context.getBean(PoisonMessages.class)
                            .list(PoisonFilter.all())
                            .messages())
                    .hasSize(1));
            Files.writeString(earlier, sampleOf(context));
            reports.add(UpgradeCheck.of(earlier).in(context));
        });

        assertThat(earlier)
                .content()
                .contains(
                        "{\"first\":\"Xxx\",\"last\":\"Xxxxx\",\"at\":{\"street\":\"Xxxx Xxxxxx 1\",\"city\":\"Xxxxx\"}}");
        assertThat(reports.get(0)).hasNoFindings();
        assertThat(reports.get(0).unchecked())
                .contains(
                        "Whether PersonMoved loses properties of version 1: what its upcasters leave may have been unread before.");
    }

    @Test
    void asksForTheClassOfWhatIsOnlyPublished() throws IOException {
        Path other = folder.resolve("other.json");
        String sample = Files.readString(folder.resolve("sample.json"));
        Files.writeString(
                other, sample.replace("\"Pack\",\"version\":1,\"source\"", "\"Wrap\",\"version\":1,\"source\""));
        List<UpgradeReport> reports = new ArrayList<>();
        node(BEANS).run(context -> reports.add(UpgradeCheck.of(other).in(context)));

        assertThat(reports.get(0).unchecked())
                .contains("Wrap is published and not handled: name its class with publishing(Wrap.class).");
    }

    @Test
    void masksWhatItShows() throws IOException {
        String sample = Files.readString(folder.resolve("sample.json"));

        assertThat(sample)
                .doesNotContain(
                        "4711", "4712", "ann@", "Main", "Leeds", "green", "evening", "broken", "2026-03", "3cd60")
                .contains("\"ORDERED\"", "\"PAID\"", "\"card\"", "\"cash\"", "\"street\"");
    }
}
