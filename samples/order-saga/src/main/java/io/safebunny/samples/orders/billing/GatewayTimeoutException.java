// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.billing;

/** The bank does not answer. Trying again may help. */
public class GatewayTimeoutException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public GatewayTimeoutException(String message) {
        super(message);
    }
}
