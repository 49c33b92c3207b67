// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.sharding;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.docs.sharding.DividedStock.Shelf;
import io.safebunny.docs.sharding.DividedStock.StockChanged;
import io.safebunny.test.BunnyHarness;
import io.safebunny.test.BunnyTest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** The articles of a divided type keep their order, each in its shard. */
@BunnyTest(properties = "safebunny.node=shop", classes = DividedStockTest.Shop.class)
class DividedStockTest {

    private static final List<String> SHOWN = new ArrayList<>();

    @SpringBootApplication
    static class Shop {

        @Bean
        DividedStock stock() {
            Shelf shelf = (article, left) -> SHOWN.add(article + " " + left);
            return new DividedStock(shelf);
        }
    }

    @Test
    void showsTheChangesOfEachArticleInTheirOrder(BunnyHarness bunny) {
        for (int left = 20; left > 0; left--) {
            bunny.as("warehouse").publish(new StockChanged("salt", left));
            bunny.as("warehouse").publish(new StockChanged("sugar", left));
        }

        bunny.runUntilIdle();

        for (String article : List.of("salt", "sugar")) {
            assertThat(SHOWN)
                    .filteredOn(shown -> shown.startsWith(article))
                    .containsExactlyElementsOf(IntStream.rangeClosed(1, 20)
                            .mapToObj(number -> article + " " + (21 - number))
                            .toList());
        }
    }
}
