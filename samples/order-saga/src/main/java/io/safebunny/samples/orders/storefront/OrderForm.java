// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.storefront;

import io.safebunny.samples.orders.messages.OrderLine;
import io.safebunny.samples.orders.messages.PlaceOrder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Takes orders over HTTP, if the node serves it. The same order put twice is one order, as at the {@link Storefront}. */
@RestController
@ConditionalOnWebApplication
class OrderForm {

    private final Storefront storefront;

    OrderForm(Storefront storefront) {
        this.storefront = storefront;
    }

    /** An order but for its id, which is in the address. */
    record Cart(String customer, List<OrderLine> lines, String cardToken) {

        PlaceOrder order(String orderId) {
            try {
                return new PlaceOrder(orderId, customer, lines, cardToken);
            } catch (IllegalArgumentException e) {
                throw new ResponseStatusException(HttpStatus.BAD_REQUEST, e.getMessage(), e);
            }
        }
    }

    /** Answers when the order is in the queue of the node that handles it. */
    @PutMapping(path = "/orders/{orderId}", consumes = MediaType.APPLICATION_JSON_VALUE)
    @ResponseStatus(HttpStatus.ACCEPTED)
    CompletableFuture<Map<String, String>> put(@PathVariable("orderId") String orderId, @RequestBody Cart cart) {
        return storefront
                .place(cart.order(orderId))
                .thenApply(placed -> Map.of("orderId", orderId, "messageId", placed.messageId()));
    }
}
