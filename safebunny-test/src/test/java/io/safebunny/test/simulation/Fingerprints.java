// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.slf4j.LoggerFactory;

/** What some schedules come to, to be compared with what they come to elsewhere. */
final class Fingerprints {

    private static final int SCHEDULES = 100;

    private Fingerprints() {}

    public static void main(String[] arguments) {
        ((Logger) LoggerFactory.getLogger("io.safebunny")).setLevel(Level.OFF);
        System.out.println(all());
    }

    static String all() {
        Simulation simulation = Simulation.of(Orders::declare);
        List<Long> all = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < SCHEDULES; i++) {
            all.add(simulation.fingerprint(new Schedule(List.of(
                    event(random, "billing-1", "OrderPlaced"), event(random, "shipping-1", "PaymentCaptured")))));
        }
        return all.toString();
    }

    private static Event event(SplittableRandom random, String process, String type) {
        Place place = List.of(Place.DELIVERED, Place.BEFORE_ACKNOWLEDGE).get(random.nextInt(2));
        List<Fault> faults = place.faults();
        return new Event(new Point(process, place, type, 1), faults.get(random.nextInt(faults.size())));
    }
}
