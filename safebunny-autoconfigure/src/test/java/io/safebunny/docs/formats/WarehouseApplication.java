// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.formats;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class WarehouseApplication {}
