// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import io.safebunny.proof.model.saga.TourSagas;
import io.safebunny.saga.SagaView;
import io.safebunny.store.MessageStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Two versions of an application side by side, which take messages of the same sagas as they come. Confined to one thread. */
public final class Tours {

    private static final int MESSAGES = 8;
    private static final int MOST = 10;

    private final int sagas;
    private final Random random;
    private final World world;
    private final Map<String, Integer> noted = new HashMap<>();
    private final int[] sums;

    public Tours(long seed, int sagas) {
        this.sagas = sagas;
        this.random = new Random(seed);
        this.world = new World(random);
        this.sums = new int[sagas];
    }

    /** @throws DeviationException a field was lost, or a sum is wrong */
    public void run() {
        MessageStore store = world.newStore();
        world.start("desk", null, List.of());
        world.start("tours", store, List.of(), new TourSagas.First());
        world.start("tours", store, List.of(), new TourSagas.Noting(id -> noted.merge(id, 1, Integer::sum)));
        for (int tour = 0; tour < sagas; tour++) {
            send(tour, true);
        }
        world.settle();
        for (int message = MESSAGES * sagas;
                message > 0;
                message--) { // at random, so that each gets some of every saga
            send(random.nextInt(sagas), false);
            if (random.nextInt(sagas) == 0) {
                world.settle();
            }
        }
        world.pass(Duration.ofMinutes(2), Duration.ofSeconds(5));
        for (int tour = 0; tour < sagas; tour++) {
            judge(tour);
        }
    }

    private void send(int tour, boolean begins) {
        int euros = random.nextInt(MOST);
        sums[tour] += euros;
        world.publish("desk", begins ? new TourSagas.Begin(euros) : new TourSagas.Add(euros), id(tour));
    }

    private static String id(int tour) {
        return "tour-" + tour;
    }

    private void judge(int tour) {
        SagaView view = world.saga("tours", id(tour));
        JsonNode state = JsonMapper.shared().readTree(view == null ? "{}" : view.state());
        if (state.path("euros").asInt(-1) != sums[tour] || !TourSagas.isWhole(state, noted.getOrDefault(id(tour), 0))) {
            throw new DeviationException("%s has %s instead of %s euros and %s notes"
                    .formatted(id(tour), state, sums[tour], noted.getOrDefault(id(tour), 0)));
        }
    }
}
