// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.versions;

import io.safebunny.BunnyHandler;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

@Component
class Parcels {

    private final Map<String, String> cities = new ConcurrentHashMap<>();

    @BunnyHandler(from = "crm")
    void on(CustomerMoved moved) {
        cities.put(moved.customer(), moved.address().city());
    }

    String cityOf(String customer) {
        return cities.getOrDefault(customer, "");
    }
}
