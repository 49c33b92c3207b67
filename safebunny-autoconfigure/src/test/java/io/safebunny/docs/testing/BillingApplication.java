// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.testing;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class BillingApplication {}
