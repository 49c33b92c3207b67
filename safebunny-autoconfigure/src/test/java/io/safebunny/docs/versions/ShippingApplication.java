// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.versions;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class ShippingApplication {}
