// The parts of NVIDIA's driver and management libraries that list the cards, for tests on
// machines without any: libcuda.so.1 and libnvidia-ml.so.1 in one. Written from the public
// documentation of both interfaces.

#include <stdlib.h>
#include <string.h>

static const char *value(const char *name, const char *otherwise)
{
    const char *set = getenv(name);
    return set ? set : otherwise;
}

static int copy(char *to, const char *from, int length)
{
    strncpy(to, from, (size_t)length - 1);
    to[length - 1] = '\0';
    return 0;
}

// The driver. 100: no device.

static int cards(void)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    return visible && !*visible ? 0 : 1;
}

int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuInit(unsigned flags) { (void)flags; return cards() ? 0 : 100; }
int cuDeviceGetCount(int *count) { *count = cards(); return 0; }
int cuDeviceGet(int *device, int number) { *device = number; return number < cards() ? 0 : 101; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { (void)device; *bytes = 80ul << 30; return 0; }

int cuDeviceGetName(char *name, int length, int device)
{
    (void)device;
    return copy(name, value("STUB_NAME", "NVIDIA H100 80GB HBM3"), length);
}

int cuDeviceGetAttribute(int *found, int attribute, int device)
{
    (void)device;
    switch (attribute) {
    case 33: *found = 0x65; break; // PCI bus
    case 34: *found = 0; break;    // PCI device
    case 50: *found = 0; break;    // PCI domain
    case 75: *found = 9; break;    // compute capability, major
    case 76: *found = 0; break;    // minor
    default: *found = 64; break;
    }
    return 0;
}

// The management library. 3: not supported.

int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }

int nvmlSystemGetDriverVersion(char *version, unsigned length)
{
    return copy(version, value("STUB_DRIVER", "580.65.06"), (int)length);
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **device)
{
    static int card;
    *device = &card;
    return strcmp(address, "00000000:65:00.0") ? 6 : 0;
}

int nvmlDeviceGetUUID(void *device, char *uuid, unsigned length)
{
    (void)device;
    return copy(uuid, value("STUB_UUID", "GPU-11111111-2222-3333-4444-555555555555"), (int)length);
}

int nvmlDeviceGetEccMode(void *device, unsigned *current, unsigned *pending)
{
    (void)device;
    *current = *pending = 1;
    return 0;
}

int nvmlDeviceGetPowerManagementLimit(void *device, unsigned *milliwatts)
{
    (void)device;
    *milliwatts = (unsigned)atoi(value("STUB_POWER_W", "700")) * 1000;
    return 0;
}

int nvmlDeviceGetPowerManagementDefaultLimit(void *device, unsigned *milliwatts)
{
    (void)device;
    *milliwatts = 700000;
    return 0;
}

int nvmlDeviceGetApplicationsClock(void *device, int kind, unsigned *mhz)
{
    (void)device;
    (void)kind;
    *mhz = 1980;
    return 0;
}

int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *mhz)
{
    (void)device;
    (void)kind;
    *mhz = 1755;
    return 0;
}

int nvmlDeviceGetMaxClockInfo(void *device, int kind, unsigned *mhz)
{
    return nvmlDeviceGetApplicationsClock(device, kind, mhz);
}
