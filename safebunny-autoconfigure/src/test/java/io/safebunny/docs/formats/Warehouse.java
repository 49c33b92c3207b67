// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.formats;

import com.google.protobuf.Struct;
import io.safebunny.BunnyHandler;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;

@Component
class Warehouse {

    final List<String> seen = new ArrayList<>();

    @BunnyHandler(from = "shop")
    void on(OrderPlaced placed) {
        seen.add(placed.order() + " for " + placed.total());
    }

    @BunnyHandler(from = "catalogue")
    void on(Struct article) {
        seen.add(article.getFieldsOrThrow("name").getStringValue());
    }
}
