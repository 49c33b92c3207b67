// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.site;

import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessages;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.proof.watchdog.site.Shop.Add;
import io.safebunny.proof.watchdog.site.Shop.Charge;
import io.safebunny.proof.watchdog.site.Shop.Pay;
import io.safebunny.proof.watchdog.site.Shop.PlaceOrder;
import io.safebunny.proof.watchdog.site.Shop.ReminderDue;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Sagas;
import java.time.Duration;

/** What has gone wrong at a site, so that each page has something to tell. */
public final class Incidents {

    /** Why {@code OrderPlaced} is paused. */
    public static final String PAUSED = "the printer is out of paper";

    private Incidents() {}

    /**
     * {@code OrderPlaced} is paused, the charge of {@code order-1} is set aside, {@code order-2} waits for one that is, too, {@code order-3} is
     * stuck at what it cannot take, and a reminder waits until tomorrow. Three copies are set aside.
     *
     * @param note quoted wherever something is quoted
     */
    public static void happenAt(Site site, String note) {
        site.bean(BunnyOperations.class).pause("OrderPlaced", Duration.ofHours(1), Scope.NODE, PAUSED, "night shift");
        publish(site, "order-1", new Charge("order-1", note));
        publish(site, "order-2", new PlaceOrder(note));
        publish(site, "order-3", new PlaceOrder(note));
        awaitSaga(site, "order-2", SagaStatus.ACTIVE);
        awaitSaga(site, "order-3", SagaStatus.ACTIVE);
        publish(site, "order-2", new Pay(note));
        publish(site, "order-3", new Add(note));
        awaitSaga(site, "order-3", SagaStatus.STUCK);
        await().until(() -> site.bean(Sagas.class)
                .find("Order", "order-2")
                .filter(saga -> !saga.blockedOn().isEmpty())
                .isPresent());
        awaitPoison(site, 3);
        var unused = remind(site, "order-1");
    }

    /**
     * Schedules a reminder for tomorrow, and waits until it is stored.
     *
     * @return the id of the message
     */
    public static String remind(Site site, String order) {
        ScheduledMessages scheduled = site.bean(ScheduledMessages.class);
        String handle = scheduled.schedule(
                new ReminderDue(order),
                PublishOptions.none().withCorrelationId(order).withDelay(Duration.ofDays(1)));
        await().until(() -> scheduled.find(handle).isPresent());
        return scheduled.find(handle).orElseThrow().messageId();
    }

    public static void publish(Site site, String correlationId, Object payload) {
        site.bean(Bunny.class).publish(payload, PublishOptions.none().withCorrelationId(correlationId));
    }

    private static void awaitSaga(Site site, String id, SagaStatus status) {
        await().until(() -> site.bean(Sagas.class)
                .find("Order", id)
                .filter(saga -> saga.status() == status)
                .isPresent());
    }

    /** Waits until so many copies are set aside. */
    public static void awaitPoison(Site site, int copies) {
        await().until(() ->
                site.bean(PoisonMessages.class).list(PoisonFilter.all()).depth() == copies);
    }
}
