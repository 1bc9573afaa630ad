import Directory
import Storage

/// Removes a registered device, so that it signs its person in no more. It acts on the next call: the sessions that the
/// device began end, and so does what apps got through them.
package struct RemoveDevice: Change {
    package typealias Answer = DeviceRecord

    package static let name = "device.remove"
    package static let summary = "Removes a device, so that it signs its person in no more, and ends its sessions."
    package static let privilege = Privilege.manageDevices
    package static let route = OperationRoute(.delete, "devices/{device}")
    package static let explanations = ["device": "The id of the device."]
    package static let undo = UndoRule.impossible("A device is registered again with a new code, and a new key.")

    package let device: String

    package init(device: String) { self.device = device }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> OwnedDevice {
        try OwnedDevice.find(device, in: context, transaction)
    }

    package func carryOut(on owned: OwnedDevice, _: Void, in act: Act) throws -> DeviceRecord {
        guard try owned.device.delete(in: act.transaction) else {
            throw OperationError.refused("The device was removed meanwhile.")
        }
        try act.record(
            .deviceRemoved, on: owned, called: owned.person.fullName, "device:\(owned.device.publicID)")
        return DeviceRecord(owned)
    }
}
