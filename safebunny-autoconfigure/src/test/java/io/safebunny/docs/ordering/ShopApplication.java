// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.ordering;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class ShopApplication {}
