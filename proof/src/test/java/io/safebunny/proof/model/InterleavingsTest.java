// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A few of the interleavings of {@code bin/saga-proof}, and faulty stores that they must find. */
class InterleavingsTest {

    private static final int FEW = 60;
    private static final int MANY = 10_000;

    private final Logger log = (Logger) LoggerFactory.getLogger("io.safebunny");

    @BeforeEach
    void beSilent() {
        log.setLevel(Level.OFF);
    }

    @AfterEach
    void speak() {
        log.setLevel(null);
    }

    @Test
    void sagasAreAsTheModelSays() {
        Interleavings all = Interleavings.ofSagas(store -> store);

        assertThat(all.run(1, FEW, done -> {})).isEmpty();
        assertThat(all.seen())
                .containsKeys("crashes", "interruptions", "duplicates", "replays", "repairs", "books", "parcels");
    }

    @Test
    void undosLeaveNoEffect() {
        assertThat(Interleavings.ofUndos(store -> store).run(1, FEW, done -> {}))
                .isEmpty();
    }

    @Test
    void fieldsOfAnotherVersionAreKept() {
        assertThat(Interleavings.ofVersions().run(1, FEW, done -> {})).isEmpty();
    }

    @Test
    void lostUpdatesAreFound() {
        assertThat(Interleavings.ofSagas(FaultyStores::withoutEtag).run(1, MANY, done -> {}))
                .isNotEmpty();
    }

    @Test
    void separateWritesAreFound() {
        assertThat(Interleavings.ofSagas(FaultyStores::inTwoWrites).run(1, MANY, done -> {}))
                .isNotEmpty();
    }

    @Test
    void aSagaThatTakesThePlaceOfAnotherOneIsFound() {
        assertThat(Interleavings.ofSagas(FaultyStores::withOneSagaOfAnId).run(1, MANY, done -> {}))
                .isNotEmpty();
    }

    @Test
    void stepsAfterTheirUndosAreFound() {
        assertThat(Interleavings.ofUndos(FaultyStores::withoutFence).run(1, MANY, done -> {}))
                .isNotEmpty();
    }
}
