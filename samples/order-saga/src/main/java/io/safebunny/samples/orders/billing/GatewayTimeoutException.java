// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.billing;

/** The bank did not answer. A retry may help. */
public class GatewayTimeoutException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public GatewayTimeoutException(String message) {
        super(message);
    }
}
