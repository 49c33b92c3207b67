// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.storefront;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application {@code storefront}. */
@SpringBootApplication
public class StorefrontNode {}
