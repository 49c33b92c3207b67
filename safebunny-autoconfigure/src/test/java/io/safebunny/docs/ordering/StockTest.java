// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;

@BunnyTest(properties = "safebunny.node=shop")
class StockTest {

    @TestConfiguration
    static class FakeShelf implements Shelf {

        final List<String> shown = new ArrayList<>();
        int failures;

        @Override
        public void show(String article, int left) {
            if (article.equals("tea") && failures-- > 0) {
                throw new IllegalStateException("the shelf is locked");
            }
            shown.add(article + " " + left);
        }
    }

    @Autowired
    FakeShelf shelf;

    @Autowired
    PoisonMessages poison;

    @BeforeEach
    void clear() {
        shelf.shown.clear();
    }

    @Test
    void whatFailsHoldsBackItsOwnArticleOnly(BunnyHarness bunny) {
        shelf.failures = 7; // three tries, three after 10 s, one after a minute
        bunny.as("warehouse").publish(new StockChanged("tea", 3));
        bunny.as("warehouse").publish(new StockChanged("tea", 2));
        bunny.as("warehouse").publish(new StockChanged("milk", 9));

        bunny.runUntilIdle();

        assertThat(shelf.shown).containsExactly("milk 9", "tea 3", "tea 2");
    }

    @Test
    void whatWasSetAsideIsWaitedForUntilSomebodyDecides(BunnyHarness bunny) {
        shelf.failures = 9;
        bunny.as("warehouse").publish(new StockChanged("tea", 3));
        bunny.as("warehouse").publish(new StockChanged("tea", 2));
        bunny.runUntilIdle();
        assertThat(shelf.shown).isEmpty();

        poison.discard(PoisonRequest.of(PoisonFilter.all().withType("StockChanged"), "ann", "sold out"));
        bunny.runUntilIdle();

        assertThat(shelf.shown).containsExactly("tea 2");
    }
}
